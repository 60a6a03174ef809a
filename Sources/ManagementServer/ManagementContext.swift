package import Access
package import Hummingbird
package import NIOCore

/// A request under way: the connection that it came by, and who makes it.
package struct ManagementContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    package let channel: any Channel
    /// `nil` until the listener has found out.
    package var caller: Caller?

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    package init(source: ApplicationRequestContextSource, caller: Caller) {
        self.init(source: source)
        self.caller = caller
    }
}
