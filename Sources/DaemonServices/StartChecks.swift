package import ConfigurationModel
import ControlPlane
import DNSServer
import FastPathDriver
package import IPNetworks
import ManagementServer

/// Finds, before zones and databases are read, that another daemon or program has what this one needs. Changes nothing.
/// The later steps of the start find the same, so what comes in between is refused too.
///
///     control socket ─► pins ─► endpoints
package enum StartChecks {
    /// - Throws: `ControlFailure`, `ListenError` or `StartupFailure`, for the first thing that is taken.
    package static func requireFree(_ configuration: ServerConfiguration) throws {
        try ControlServer.requireFree(configuration.control.path)
        guard configuration.fastPath.isOff || !PinnedFastPath.standard.isLockedElsewhere else {
            throw StartupFailure.pinsAreHeld
        }
        try ListenSocket.requireFree(.udp, at: configuration.endpoints)
        try ListenSocket.requireFree(.tcp, at: configuration.endpoints)
        try ListenSocket.requireFree(.tls, at: (configuration.tls?.listen ?? []).map(\.endpoint))
        try requireFree(configuration.reports?.listener?.listen, "health.reports", configuration)
        try requireFree(configuration.metrics?.listen, "metrics", configuration)
    }

    private static func requireFree(
        _ listen: [ListenSettings]?, _ section: String, _ configuration: ServerConfiguration
    ) throws(StartupFailure) {
        guard let listen else { return }
        do throws(ListenError) { try ListenSocket.requireFree(.tcp, at: listen.map(\.endpoint)) } catch {
            let place = listen.first { $0.endpoint == error.endpoint } ?? listen[0]
            throw StartupFailure(error, section, place.mark, configuration)
        }
    }
}

extension StartupFailure {
    /// An endpoint of a section cannot be served.
    init(_ error: ListenError, _ section: String, _ mark: DocumentLocation, _ configuration: ServerConfiguration) {
        self.init(
            ["\(configuration.problem(at: mark, "\(section): \(error)"))"], status: ExitStatus(error) ?? .configuration)
    }
}

extension ServerConfiguration {
    /// The addresses that are listened on, each once, without wildcards.
    package var listenAddresses: [IPAddress] {
        let others = (tls?.listen ?? []) + (reports?.listener?.listen ?? []) + (metrics?.listen ?? [])
        var seen: Set<IPAddress> = []
        return (endpoints + others.map(\.endpoint)).map(\.address).filter {
            $0 != .v4(0) && $0 != .v6(0) && seen.insert($0).inserted
        }
    }
}
