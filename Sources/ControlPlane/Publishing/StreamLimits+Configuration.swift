package import DNSServer
package import ConfigurationModel

extension StreamLimits {
    package init(_ settings: TCPSettings) {
        self.init(
            connections: settings.connections, connectionsPerClient: settings.connectionsPerClient,
            queriesPerConnection: settings.queriesPerConnection,
            idleSeconds: Double(settings.idleMilliseconds) / 1_000)
    }
}
