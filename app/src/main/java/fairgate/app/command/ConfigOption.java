package fairgate.app.command;

import fairgate.app.config.ConfigReader;
import fairgate.app.config.ConfigValues;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The option for the configuration file, shared by all commands.
public final class ConfigOption {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Settings; default: fairgate.yaml, if it is there.")
  private @Nullable Path file;

  /// Reads the settings from file, environment and command line.
  ///
  /// @param options command-line settings by path
  /// @throws ConfigReader.Errors with everything that is wrong
  public ConfigValues read(Map<String, String> options) {
    return ConfigReader.read(Optional.ofNullable(file), System.getenv(), options);
  }
}
