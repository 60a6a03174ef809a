package import ConfigurationModel
package import FastPathPlan
package import Resolution

extension FastPathSwitches {
    /// As `fast_path` says.
    package init(_ settings: FastPathSettings) {
        self.init()
        answersCookies = settings.answersCookies
        answersIdentifier = settings.answersIdentifier
        answersTagged = settings.answersTagged
        cutsReplies = settings.cutsReplies
        limitsRate = settings.limitsRate
        passedPerSecond = settings.passedPerSecond.map(UInt32.init)
        isPassedDryRun = settings.isPassedDryRun
    }
}

extension FastPathImage {
    /// Plans `model` for the server of a configuration.
    package init(
        _ model: ServingModel, _ configuration: ServerConfiguration, secret: UInt64, speech: ProtocolImage
    ) throws(FastPathLimit) {
        try self.init(
            model, services: configuration.endpoints, secret: secret, speech: speech,
            isRead: !configuration.fastPath.isOff)
    }
}
