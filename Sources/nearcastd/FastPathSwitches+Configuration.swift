import FastPath
import ServerConfiguration

extension FastPathSwitches {
    /// As `fast_path` says.
    init(_ settings: FastPathSettings) {
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
