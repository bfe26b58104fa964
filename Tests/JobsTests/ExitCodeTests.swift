import Testing

@testable import Jobs

@Suite struct ExitCodeTests {
    @Test(
        arguments: [
            ([.success, .success], .success), ([.success, .failure], .failure), ([.failure, .partial], .partial),
            ([.partial, .paused], .paused), ([.paused, .noSpace], .noSpace), ([.noSpace, .refused], .refused),
            ([.refused, .terminated], .terminated), ([.terminated, .interrupted], .interrupted),
            ([.partial, .invalidManifest], .invalidManifest), ([.paused, .unreadable], .unreadable),
            ([.unreadable, .invalidManifest], .invalidManifest), ([.busy, .noSpace], .noSpace),
        ] as [([ExitCode], ExitCode)])
    func theMostTellingIsReported(codes: [ExitCode], expected: ExitCode) {
        #expect(codes[0].combined(with: codes[1]) == expected)
        #expect(codes[1].combined(with: codes[0]) == expected)
    }
}
