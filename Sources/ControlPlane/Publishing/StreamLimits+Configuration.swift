package import ConfigurationModel
package import DNSServer

extension StreamLimits {
    package init(_ settings: TCPSettings) {
        self.init(
            connections: settings.connections, connectionsPerClient: settings.connectionsPerClient,
            queriesPerConnection: settings.queriesPerConnection,
            idleSeconds: Double(settings.idleMilliseconds) / 1_000)
    }
}
