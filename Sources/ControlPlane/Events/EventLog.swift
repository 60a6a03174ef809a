import BPFRuntime
import FastPathDriver
import Health
import IPNetworks
import Lints
package import Logging
import Resolution
import StateStore

/// Writes events to the log: a stable phrase that can be searched, and the facts as metadata.
package struct EventLog: Sendable {
    private let logger: Logger

    package init(_ logger: Logger) { self.logger = logger }

    package func write(_ events: [Event]) {
        for event in events { write(event.kind) }
    }

    private func write(_ kind: Event.Kind) {
        switch kind {
        case .node(let transition, _): write(transition)
        case .nodesHeld(let nodes): writeHeld(nodes)
        case .maintenanceHeld(let node, let pools):
            logger.error(
                "maintenance waits: the node is the last usable one of a pool",
                metadata: ["node": "\(node)", "pools": "\(pools.joined(separator: " "))"])
        case .poolEmpty(let pool, let family):
            logger.error(
                "no node of the pool is usable: the all-down rule of its policies answers",
                metadata: Self.metadata(pool, family))
        case .poolUsable(let pool, let family):
            logger.notice("pool has a usable node again", metadata: Self.metadata(pool, family))
        case .quorumLost(let heard):
            logger.error(
                "too few observers are heard: checks change no state until more are heard",
                metadata: ["heard": "\(heard.joined(separator: " "))"])
        case .quorumRegained: logger.notice("enough observers are heard again: checks change states")
        case .reloaded(let outcome): write(outcome)
        case .reloadRefused(_, let problems):
            for problem in problems { logger.error("reload refused", metadata: ["problem": "\(problem)"]) }
        case .recordsChanged(let change): write(change)
        case .change(let news): write(news)
        case .compacted(let epoch): logger.debug("changed names compacted", metadata: ["epoch": "\(epoch)"])
        case .databaseLoaded(let path, let builtAt):
            logger.info("database loaded", metadata: ["path": "\(path)", "built": "\(builtAt)"])
        case .attachment(let attachment): write(attachment)
        case .interface(let interface, let isUp):
            logger.notice(isUp ? "interface is up again" : "interface is down", metadata: ["interface": "\(interface)"])
        case .unsentReplies(.began(let interface, let count)):
            logger.error(
                "replies do not leave the interface: its driver drops them",
                metadata: [
                    "interface": "\(interface)", "replies": "\(count)",
                    "remedy":
                        "see xdp_tx in `ethtool -S \(interface)`; the peer of a veth needs an XDP program of its own",
                ])
        case .unsentReplies(.ended(let interface)):
            logger.notice("replies leave the interface again", metadata: ["interface": "\(interface)"])
        case .listenAddress(let address, isOnHost: true):
            logger.notice("listen address is on this host", metadata: ["address": "\(address)"])
        case .listenAddress(let address, isOnHost: false):
            logger.warning(
                "listen address is not on this host",
                metadata: [
                    "address": "\(address)",
                    "remedy": "it is served once an interface has it: see `ip address`, or correct listen",
                ])
        case .handoverBegan(let successor):
            logger.notice("handover started", metadata: ["pid": "\(successor)"])
        case .handoverLost(let successor, .gone):
            logger.warning("successor ended: this daemon continues", metadata: ["pid": "\(successor)"])
        case .handoverLost(let successor, .late):
            logger.error(
                "successor does not take over in time: this daemon continues, end the successor",
                metadata: ["pid": "\(successor)"])
        case .tookOver(let predecessor): logger.notice("took over", metadata: ["predecessor": "\(predecessor)"])
        }
    }

    private static func metadata(_ pool: String, _ family: IPFamily?) -> Logger.Metadata {
        family.map { ["pool": "\(pool)", "family": "\($0.name)"] } ?? ["pool": "\(pool)"]
    }

    private func write(_ transition: NodeTransition) {
        var metadata: Logger.Metadata = [
            "node": "\(transition.node)", "before": "\(transition.from)",
            "cause": "\(transition.cause)", "evidence": "\(transition.evidence ?? "")",
            "by": "\(transition.author ?? "")",
        ]
        if let family = transition.family { metadata["family"] = "\(family)" }
        logger.notice("node \(transition.to)", metadata: metadata)
    }

    private func writeHeld(_ nodes: [String]) {
        guard !nodes.isEmpty else { return logger.notice("mass-failure protection ended") }
        logger.error(
            "mass-failure protection: failing nodes stay in rotation until a second kind of check confirms",
            metadata: ["nodes": "\(nodes.prefix(8).joined(separator: " "))", "count": "\(nodes.count)"])
    }

    private func write(_ outcome: ReloadOutcome) {
        for problem in outcome.problems {
            logger.error("last good version stays in use", metadata: ["problem": "\(problem)"])
        }
        if outcome.difference.isAny {
            for warning in outcome.warnings {
                logger.warning(
                    "reload warning", metadata: ["problem": "\(warning)", "lint": "\(warning.lint.rawValue)"])
            }
        }
        logger.info(
            outcome.changesAnything ? "reload applied" : "reload found no changes",
            metadata: [
                "trigger": "\(outcome.trigger.rawValue)", "epoch": "\(outcome.epoch)",
                "digest": "\(outcome.digest.hexadecimal)", "zones": "\(outcome.difference.zones.count)",
                "nodes": "\(outcome.difference.nodes.count)", "tailored": "\(outcome.difference.tailored.count)",
                "fast_path": "\(outcome.path.name)", "seconds": "\(outcome.tookSeconds.inThousandths)",
            ])
    }

    private func write(_ change: RecordsChange) {
        logger.debug(
            "records changed",
            metadata: [
                "zone": "\(change.zone)", "serial": "\(change.serial)", "rrsets": "\(change.count)",
                "epoch": "\(change.epoch)", "by": "\(change.author ?? "")",
            ])
    }

    private func write(_ news: ChangeNews) {
        var metadata: Logger.Metadata = [
            "change": "\(news.number)", "by": "\(news.author)", "reason": "\(news.reason ?? "")",
            "guards": "\(news.guards.map(\.rawValue).joined(separator: " "))",
        ]
        if let epoch = news.epoch { metadata["epoch"] = "\(epoch)" }
        switch news.state {
        case .planned, .applying: logger.info("change planned", metadata: metadata)
        case .applied: logger.notice("change applied", metadata: metadata)
        case .stale: logger.warning("change is stale: nothing was applied", metadata: metadata)
        case .withdrawn: logger.info("change withdrawn", metadata: metadata)
        }
    }

    private func write(_ attachment: Attachment) {
        let metadata: Logger.Metadata = ["interface": "\(attachment.interface)", "reason": "\(attachment.reason)"]
        switch attachment.mode {
        case .native: logger.info("fast path attached natively", metadata: metadata)
        case .generic: logger.notice("fast path attached generically", metadata: metadata)
        case nil: logger.warning("no fast path on the interface", metadata: metadata)
        }
    }
}
