import BPFRuntime
package import ConfigurationModel
package import Foundation
import LinuxSupport
import Location
package import Logging
import ModelCompiler
import Resolution
package import RoundTripMeter
package import RoundTrips
import SystemPackage

/// Learns round-trip times from connections to this machine's services, as `rtt` of the configuration says.
///
///     kernel: network × bucket ─► fold: place → histogram ─► file: place,node,milliseconds ─► the watcher of files
///
/// The times that answers depend on are those of the file, read as any latency file: what is learned changes nothing by
/// itself.
package actor RoundTripLearner {
    /// Seconds between two looks into the kernel's map; shorter where the file is written more often.
    private static let foldSeconds = 10.0

    private let logger: Logger
    private let start = ContinuousClock.now
    /// Nil without `rtt`.
    package private(set) var current: Learning?

    /// What goes on while `rtt` stays the same.
    package struct Learning: Sendable {
        package internal(set) var settings: RoundTripSettings
        package internal(set) var meter: RoundTripMeter?
        package internal(set) var times: LearnedTimes
        /// What the times' places were last checked by; weak, since it may be large and replaced at any moment.
        weak var table: LocationTable?
        var foldedAt: Double
        /// Nil before the first writing.
        var writtenAfter: Double?
        package internal(set) var writtenAt: Date?
        /// Whether the last writing failed.
        var isUnwritten = false
        package internal(set) var problem: String?
    }

    package init(logger: Logger) { self.logger = logger }

    /// Takes the program off.
    func close() { current = nil }

    /// Does what is due now.
    func step(_ loaded: LoadedModel) {
        let now = (ContinuousClock.now - start).seconds
        guard let settings = loaded.configuration.roundTrips else {
            current = nil
            return
        }
        if let known = current?.settings, known.isSameSource(as: settings) {
            current?.settings = settings
            current?.times.rules = Self.rules(settings)
        } else {
            current = begin(settings, now)
        }
        guard var learning = current, let meter = learning.meter else { return }
        let every = Double(settings.everyMilliseconds) / 1000
        guard now - learning.foldedAt >= min(Self.foldSeconds, every) else { return }
        // Histograms are changed in place: there must be no other reference to them.
        current = nil
        learning.foldedAt = now
        fold(meter, loaded, &learning, Int64(now))
        if now - (learning.writtenAfter ?? -every) >= every, learning.times.isDue || isWanting(learning) {
            learning.writtenAfter = now
            write(&learning)
        }
        current = learning
    }

    private static func rules(_ settings: RoundTripSettings) -> LearnedTimes.Rules {
        LearnedTimes.Rules(minimumConnections: settings.minimumSamples, marginPercent: settings.marginPercent)
    }

    private func begin(_ settings: RoundTripSettings, _ now: Double) -> Learning {
        var published: [String: Double] = [:]
        if let bytes = try? RegularFile.contents(of: settings.file.path, limit: 64 << 20) {
            published = LatencyLines.times(node: settings.node, in: String(decoding: bytes, as: UTF8.self))
        }
        // The earlier program is removed first: two would count twice.
        current = nil
        var learning = Learning(
            settings: settings, times: LearnedTimes(Self.rules(settings), published: published, now: Int64(now)),
            foldedAt: now)
        do {
            guard let namespace = NetworkNamespaceNumber.own else {
                throw SystemError(call: "stat /proc/self/ns/net", errno: .noSuchFileOrDirectory)
            }
            learning.meter = try RoundTripMeter(ports: settings.ports, networkNamespace: namespace)
            logger.info(
                "learning round-trip times",
                metadata: ["node": "\(settings.node)", "ports": "\(settings.ports)", "file": "\(settings.file.path)"])
        } catch {
            let problem =
                "the kernel takes no program that reads round-trip times (\(error)): it needs type information "
                + "(/sys/kernel/btf/vmlinux), and nearcastd needs CAP_BPF and CAP_PERFMON; or remove rtt"
            learning.problem = problem
            logger.error("cannot learn round-trip times", metadata: ["problem": "\(problem)"])
        }
        return learning
    }

    private func fold(_ meter: RoundTripMeter, _ loaded: LoadedModel, _ learning: inout Learning, _ now: Int64) {
        let model = loaded.model
        if learning.table !== model.location {
            let known = LatencyPlaces.known(Set(learning.times.rows.map(\.place)), model.places)
            learning.times.usePlaces(known.contains)
            learning.table = model.location
        }
        do {
            // Networks that come out of the kernel are not kept beyond this call.
            learning.times.fold(
                try meter.drain(), model.location, model.places, isKnown: LatencyPlaces.isPlace, now: now)
        } catch {
            logger.warning("cannot read round-trip times from the kernel", metadata: ["error": "\(error)"])
        }
    }

    /// Whether the file could not be written, or somebody removed it.
    private func isWanting(_ learning: Learning) -> Bool {
        learning.isUnwritten
            || learning.writtenAt != nil && !FileManager.default.fileExists(atPath: learning.settings.file.path)
    }

    /// Whether nothing is lost when the file is written: there is none, or one of ours.
    private func isReplaceable(_ path: String) -> Bool {
        guard FileManager.default.fileExists(atPath: path) else { return true }
        guard let bytes = try? RegularFile.contents(of: path, limit: 64 << 20) else { return false }
        return LatencyLines.isOwn(String(decoding: bytes, as: UTF8.self))
    }

    private func write(_ learning: inout Learning) {
        let path = learning.settings.file.path
        guard isReplaceable(path) else {
            learning.isUnwritten = true
            if learning.problem == nil {
                learning.problem =
                    "\(path) is there and no file of learned times: name another in rtt.file, or move this one away"
                logger.error("cannot write learned times", metadata: ["problem": "\(learning.problem ?? "")"])
            }
            return
        }
        let times = learning.times.publish()
        do {
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            let text = LatencyLines.text(node: learning.settings.node, times)
            try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
            (learning.writtenAt, learning.problem, learning.isUnwritten) = (Date(), nil, false)
            logger.info("learned times written", metadata: ["file": "\(path)", "places": "\(times.count)"])
        } catch {
            learning.isUnwritten = true
            learning.problem =
                "\(path) cannot be written (\(error.localizedDescription)): name a file in rtt.file that nearcastd may write"
            logger.error("cannot write learned times", metadata: ["problem": "\(learning.problem ?? "")"])
        }
    }
}
