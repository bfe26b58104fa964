@main
enum Larder {
    static func main() {
    }
}
