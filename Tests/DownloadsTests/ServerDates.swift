// `Transfer` has an `HTTPDate`, too: here only the server's is meant.
import FaultServer

/// A date as servers send it, counted in seconds from now.
func serverDate(fromNow seconds: Int) -> String { HTTPDate.fromNow(seconds) }
