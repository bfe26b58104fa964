extension Duration {
    /// The duration as seconds and a fraction.
    package var inSeconds: Double { self / .seconds(1) }
}
