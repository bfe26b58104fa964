import Transfer

/// Why going on with a record's bytes can only give the asset, or be found out.
enum ResumeTrust: Hashable {
    /// It can't.
    case none
    /// The digest will prove the whole; the record's validators are another source's.
    case digest
    /// The record is of the very source that is asked, whose validator will tell. The digest, where it is known, proves the whole as well.
    case sameSource
    /// The record is of another source of the same request. That source's strong entity tag is asked for and must come back.
    case sharedTag
}

extension AttemptPlan {
    /// What lets this try go on with a record's bytes from a source, by default the one it is for.
    func trust(in record: ResumeData, from source: TransferURL? = nil) -> ResumeTrust {
        let url = source ?? url
        // Its bytes have other positions.
        guard record.part == part else { return .none }
        if let digest {
            // What was begun without a digest is of use as well, where it came from the same place: the digest will prove it.
            guard record.digest == digest || (record.digest == nil && record.url == url.text) else { return .none }
            return record.url == url.text ? .sameSource : .digest
        }
        guard record.validator != nil else { return .none }
        if record.url == url.text { return .sameSource }
        return record.entityTag != nil && sources.contains { $0.text == record.url } ? .sharedTag : .none
    }
}

extension ResumePoint {
    /// The validator for `If-Range` (RFC 9110 §13.1.5), where one means anything to the source that is asked.
    var condition: String? {
        switch trust {
        case .none, .digest: nil
        case .sameSource: record?.validator
        case .sharedTag: record?.entityTag
        }
    }
}
