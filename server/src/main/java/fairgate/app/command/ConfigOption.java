package fairgate.app.command;

import fairgate.app.config.ConfigReader;
import fairgate.app.config.ConfigValues;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The option that names the configuration file, the same for every command that has it.
public final class ConfigOption {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Settings; default: fairgate.yaml, if it is there.")
  private @Nullable Path file;

  /// The settings of file, environment and command line.
  ///
  /// @param options settings of the command line, by their paths
  /// @throws ConfigErrors with everything that is wrong
  public ConfigValues read(Map<String, String> options) {
    return ConfigReader.read(Optional.ofNullable(file), System.getenv(), options);
  }
}
