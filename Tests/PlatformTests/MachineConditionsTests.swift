import Glibc
import TestSupport
import Testing

@testable import Platform

/// What speaks against work, as the kernel's files tell it.
@Suite struct MachineConditionsTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// A machine's power supplies: the files of each.
    struct Machine: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let supplies: [String: [String: String]]
        let isOnBattery: Bool

        init(_ name: String, _ supplies: [String: [String: String]], isOnBattery: Bool) {
            (testDescription, self.supplies, self.isOnBattery) = (name, supplies, isOnBattery)
        }
    }

    private static let discharging = ["type": "Battery", "status": "Discharging", "scope": "System"]

    @Test(arguments: [
        Machine("no supplies at all", [:], isOnBattery: false),
        Machine("a battery alone", ["BAT0": discharging], isOnBattery: true),
        Machine(
            "a laptop unplugged", ["BAT0": discharging, "AC": ["type": "Mains", "online": "0"]], isOnBattery: true),
        Machine(
            "a laptop at the mains whose battery is drained all the same",
            ["BAT0": discharging, "AC": ["type": "Mains", "online": "1"]], isOnBattery: false),
        Machine(
            "a second battery that is full",
            ["BAT0": discharging, "BAT1": ["type": "Battery", "status": "Full"]], isOnBattery: true),
        Machine("fed over USB", ["BAT0": discharging, "ucsi": ["type": "USB", "online": "2"]], isOnBattery: false),
        Machine(
            "a desk with a mouse",
            ["mouse": ["type": "Battery", "status": "Discharging", "scope": "Device"]], isOnBattery: false),
        Machine("a battery that is charged", ["BAT0": ["type": "Battery", "status": "Charging"]], isOnBattery: false),
        Machine("a supply without any file", ["odd": [:]], isOnBattery: false),
    ])
    func theMachineLivesOnItsBattery(_ machine: Machine) throws {
        for (name, files) in machine.supplies {
            _ = try folder.makeDirectory("class/power_supply/\(name)")
            for (file, text) in files {
                _ = try folder.write("\(text)\n".utf8, to: "class/power_supply/\(name)/\(file)")
            }
        }
        #expect(PowerSupplies(sysfs: folder.path).isOnBattery == machine.isOnBattery)
        var conditions = MachineConditions()
        conditions.sysfs = folder.path
        #expect(conditions.objection == nil, "nobody minds")
        conditions.needsMains = true
        #expect((conditions.objection != nil) == machine.isOnBattery)
        #expect((conditions.lastingObjection != nil) == machine.isOnBattery)
    }

    @Test func theLoadCountsForEachProcessorAndOnlyAtTheBeginning() throws {
        let processors = Double(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        _ = try folder.write("\(processors * 1.5) 0.10 0.05 1/234 5678\n".utf8, to: "loadavg")
        var conditions = MachineConditions()
        conditions.procfs = folder.path
        conditions.maximumLoad = 1.6
        #expect(conditions.objection == nil)
        conditions.maximumLoad = 1.4
        #expect(conditions.objection == "the load is 1.50 for each processor, more than 1.40")
        #expect(conditions.lastingObjection == nil)
    }

    @Test func aMachineThatTellsNoLoadIsNotKeptFromWork() {
        var conditions = MachineConditions()
        conditions.procfs = folder["nowhere"]
        conditions.maximumLoad = 0
        #expect(conditions.objection == nil)
    }

    @Test func anInterfaceThatNoRouteLeadsOverIsNoObjection() throws {
        var conditions = MachineConditions()
        conditions.unwantedInterfaces = ["larder-none0"]
        #expect(conditions.objection == nil)
        for name in try DefaultRoutes.current().interfaceNames {
            conditions.unwantedInterfaces = ["larder-none0", name]
            #expect(conditions.objection == "the way out leads over \(name)")
        }
    }
}
