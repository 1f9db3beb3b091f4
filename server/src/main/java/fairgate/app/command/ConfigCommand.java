package fairgate.app.command;

import fairgate.app.config.ConfigErrors;
import fairgate.app.config.ConfigReference;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.ServeChecks;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Looks at the settings without starting anything.
@Command(
    name = "config",
    description = "Prints or checks the settings.",
    synopsisSubcommandLabel = "(print | check)")
public final class ConfigCommand {
  @Spec private @Nullable CommandSpec spec;

  @Command(
      name = "print",
      description = "Prints every setting as it applies; secrets as [redacted].",
      mixinStandardHelpOptions = true)
  int print(@Mixin ConfigOption config) {
    out(config.read(Map.of()).print());
    return 0;
  }

  @Command(
      name = "check",
      description = "Checks the settings; exit code 2 and every problem when they are wrong.",
      mixinStandardHelpOptions = true)
  int check(
      @Mixin ConfigOption config,
      @Option(names = "--serve", description = "Also asks what `serve` asks.") boolean serve) {
    FairgateConfig settings = FairgateConfig.of(config.read(Map.of()));
    List<String> problems = serve ? ServeChecks.problems(settings) : List.of();
    if (!problems.isEmpty()) {
      throw new ConfigErrors(problems);
    }
    out("The configuration is right.");
    return 0;
  }

  @Command(
      name = "reference",
      description = "Prints the page docs/operate/config.md.",
      hidden = true,
      mixinStandardHelpOptions = true)
  int reference() {
    out(ConfigReference.markdown().stripTrailing());
    return 0;
  }

  private void out(String text) {
    Objects.requireNonNull(spec).commandLine().getOut().println(text);
  }
}
