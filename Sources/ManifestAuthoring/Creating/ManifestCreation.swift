import Platform

/// Makes a manifest of files and folders.
///
/// Each folder is gone through twice: names that no manifest can have, and what belongs to presentations, are known before the first byte is read.
package struct ManifestCreation {
    private let sources: ManifestSources
    private let selection: FileSelection
    private let header: ManifestHeader
    private let limitBytes: Int64
    private let observer: CreationObserver

    /// - Parameter limitBytes: how large the manifest may become.
    package init(
        _ sources: ManifestSources, _ selection: FileSelection, _ header: ManifestHeader, limitBytes: Int64 = .max,
        _ observer: CreationObserver
    ) {
        self.sources = sources
        self.selection = selection
        self.header = header
        self.limitBytes = limitBytes
        self.observer = observer
    }

    /// - Returns: the manifest's text, in a file that is gone when nobody holds it.
    package func run() throws(CreationProblem) -> OwnedDescriptor {
        var survey = FolderSurvey(selection, observer)
        survey.check(sources.folders)
        var surveyed: [SurveyedFolder] = []
        for folder in sources.folders {
            let base = header.mirrors.first.map { $0 + folder.urlPrefix }
            surveyed.append(try survey.look(at: folder, servedAt: base))
        }
        try survey.checkNames()
        return try write(surveyed)
    }

    private func write(_ surveyed: [SurveyedFolder]) throws(CreationProblem) -> OwnedDescriptor {
        var bundles = try BundleWriter(header, limitBytes: limitBytes)
        let line = try InspectionLine(selection, observer)
        for survey in surveyed {
            bundles.begin(survey.folder)
            let tell = { (item: InspectionItem, facts: FileFacts) throws(CreationProblem) in
                try bundles.add(item, facts)
            }
            try survey.forEachFile(selection) { path, role throws(CreationProblem) in
                try line.add(InspectionItem(path: path, folder: survey.folder, role: role), tell: tell)
            }
            try line.finish(tell: tell)
            try bundles.endFolder()
        }
        return try bundles.end()
    }
}
