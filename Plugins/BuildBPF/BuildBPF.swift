import Foundation
import PackagePlugin

/// Compiles the only `*.bpf.c` file of the target with the toolchain's clang, and embeds the object.
///
/// The output is a Swift file with the object's bytes as a hexadecimal `StaticString`. An array literal of that size
/// would take the compiler minutes, and a resource would have to be installed with the executable. Debug sections are
/// stripped; BTF is kept. Every C file of the target and of `bpf` is an input, so that a changed header rebuilds the
/// object.
@main struct BuildBPF: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = target.directoryURL
        guard let source = try Self.program(in: folder) else {
            throw BuildFailure(description: "\(folder.path(percentEncoded: false)) has not exactly one .bpf.c")
        }
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedObject.swift")
        let clang = try context.tool(named: "clang").url
        let objcopy = try context.tool(named: "llvm-objcopy").url
        return [
            .buildCommand(
                displayName: "Compiling \(source.lastPathComponent)",
                executable: URL(filePath: "/bin/sh"),
                arguments: ["-euc", Self.script, "BuildBPF"]
                    + [clang, objcopy, source, output].map { $0.path(percentEncoded: false) }
                    + Self.flags(folder: folder, package: context.package.directoryURL),
                inputFiles: try Self.sources(below: folder)
                    + Self.sources(below: context.package.directoryURL.appending(path: "bpf")),
                outputFiles: [output])
        ]
    }

    /// Arguments: clang, llvm-objcopy, source, output, then clang's flags.
    private static let script = #"""
        clang=$1 objcopy=$2 source=$3 output=$4
        shift 4
        object=${output%.swift}.o
        "$clang" "$@" -c "$source" -o "$object"
        "$objcopy" --strip-debug "$object"
        {
            printf '/// The compiled program, an ELF file: two hexadecimal digits a byte.\n'
            printf 'let embeddedObject: StaticString = "'
            od -An -v -tx1 "$object" | tr -d ' \n'
            printf '"\n'
        } >"$output.new"
        mv "$output.new" "$output"
        """#

    private static func flags(folder: URL, package: URL) -> [String] {
        let flags = [
            "-target", "bpf", "-mcpu=v3", "-O2", "-g", "-Wall", "-Werror",
            // Block placement may put the end of a loop before its head. Linux 6.1 rejects a loop that is closed by
            // falling through.
            "-mllvm", "-disable-block-placement",
            "-I\(folder.path(percentEncoded: false))",
            "-I\(package.appending(path: "bpf").path(percentEncoded: false))",
            // Makes the output independent of the package's path, which the line information contains.
            "-ffile-prefix-map=\(package.path(percentEncoded: false))=",
        ]
        return flags + (multiarch.map { ["-isystem", "/usr/include/\($0)"] } ?? [])
    }

    /// Debian keeps `asm/types.h` in a folder per architecture, which clang does not search for the target `bpf`.
    /// A plugin runs on the machine that compiles it, so its own architecture is the one whose kernel headers are
    /// installed.
    private static var multiarch: String? {
        #if arch(x86_64)
            "x86_64-linux-gnu"
        #elseif arch(arm64)
            "aarch64-linux-gnu"
        #else
            nil
        #endif
    }

    private static func program(in folder: URL) throws -> URL? {
        let programs = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasSuffix(".bpf.c") }
        return programs.count == 1 ? programs[0] : nil
    }

    private static func sources(below folder: URL) throws -> [URL] {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (files?.compactMap { $0 as? URL } ?? []).filter { ["c", "h"].contains($0.pathExtension) }
            .sorted { $0.path < $1.path }
    }
}

struct BuildFailure: Error, CustomStringConvertible {
    let description: String
}
