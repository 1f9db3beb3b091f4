package fairgate.app;

import fairgate.app.command.ConfigOption;
import fairgate.app.config.ConfigReader;
import fairgate.app.config.ConfigReference;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.Finding;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Prints and checks the settings without starting a server.
@Command(
    name = "config",
    description = "Prints or checks the settings.",
    synopsisSubcommandLabel = "(print | check)")
final class ConfigCommand {
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
      description = {
        "Checks the settings.",
        "Exit code 2, and every problem, when they are wrong."
      },
      mixinStandardHelpOptions = true)
  int check(
      @Mixin ConfigOption config,
      @Option(names = "--serve", description = "Also checks what `serve` refuses.") boolean serve) {
    FairgateConfig settings = FairgateConfig.of(config.read(Map.of()));
    List<Finding> findings = serve ? Preflight.settings(settings) : List.of();
    findings.stream()
        .filter(finding -> !(finding instanceof Finding.Refused))
        .forEach(finding -> out(Preflight.line(finding)));
    if (serve) {
      out(
          "?     redis, postgresql: not asked here; `fairgate doctor` asks them, and so does"
              + " `serve`");
    }
    List<String> refusals = Preflight.refusals(findings);
    if (!refusals.isEmpty()) {
      throw new ConfigReader.Errors(refusals);
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
