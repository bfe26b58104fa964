import BundleManifest
import Diagnostics
import JSONSyntax
import Playlists

/// Every rule that a manifest, or what it names, can break: those of JSON first.
package enum RuleCatalogue {
    package static let all =
        JSONRule.allCases.map(RuleDescription.init) + ManifestRule.allCases.map(RuleDescription.init)
        + ContentRule.allCases.map(RuleDescription.init) + PlaylistRule.allCases.map(RuleDescription.init)
}
