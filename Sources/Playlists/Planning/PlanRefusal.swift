import Diagnostics
import Platform

/// Why no copy is made. Nothing has been asked for by then but playlists.
package enum PlanRefusal: Error, Equatable, CustomStringConvertible {
    case address(AddressProblem)
    case live(playlist: String)
    case deltaUpdate(playlist: String)
    case noSegments(playlist: String)
    /// A system that hands out keys only to players it trusts, by its name.
    case rightsManagement(String, playlist: String)
    case encryption(method: String, playlist: String)
    /// The master playlist names one that wasn't given to the planner.
    case missingPlaylist(uri: String)

    package var description: String {
        switch self {
        case .address(let problem): problem.description
        case .live(let playlist):
            "\(shownURL(playlist).quotedForMessage()) has no #EXT-X-ENDLIST: it is live, and nothing says how long to follow it"
        case .deltaUpdate(let playlist):
            "\(shownURL(playlist).quotedForMessage()) leaves segments out (#EXT-X-SKIP): only the whole playlist can be copied"
        case .noSegments(let playlist): "\(shownURL(playlist).quotedForMessage()) has no segments, or gaps alone"
        case .rightsManagement(let system, let playlist):
            "\(shownURL(playlist).quotedForMessage()) is protected by \(system): its keys are for players only, and a copy would never play"
        case .encryption(let method, let playlist):
            "\(shownURL(playlist).quotedForMessage()) is encrypted with \(method.quotedForMessage()): only AES-128 can be copied"
        case .missingPlaylist(let uri): "the playlist \(shownURL(uri).quotedForMessage()) wasn't read"
        }
    }
}

extension [MediaKey] {
    /// The key that anybody can decrypt with.
    func usableKey(playlist: String) throws(PlanRefusal) -> MediaKey {
        if let usable = first(where: \.isUsable) { return usable }
        if let system = lazy.compactMap(\.rightsManagementSystem).first {
            throw .rightsManagement(system, playlist: playlist)
        }
        throw .encryption(method: first?.method.name ?? "nothing that is known", playlist: playlist)
    }
}

extension MediaKey {
    /// Named by its key format, where that isn't `identity`.
    fileprivate var rightsManagementSystem: String? {
        switch format.lowercased() {
        case Self.identityFormat: nil
        case "com.apple.streamingkeydelivery": "FairPlay"
        case "urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed", "com.widevine": "Widevine"
        case "urn:uuid:9a04f079-9840-4286-ab92-e65be0885f95", "com.microsoft.playready": "PlayReady"
        default: format.quotedForMessage()
        }
    }
}
