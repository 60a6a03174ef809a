import IPNetworks
import NIOCore

extension SocketAddress {
    init(_ address: IPAddress, port: UInt16 = 0) throws {
        try self.init(packedIPAddress: ByteBuffer(bytes: address.bytes), port: Int(port))
    }
}
