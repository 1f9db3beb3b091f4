package fairgate.app;

import fairgate.app.Server.Running;
import fairgate.app.command.ConfigOption;
import fairgate.app.command.StartFailed;
import fairgate.app.config.ConfigReader;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.Finding;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// One node of a real sale.
@Command(
    name = "serve",
    description = {
      "Starts the server on your Redis and PostgreSQL.",
      "They are those of REDIS_URL and DATABASE_URL.",
      "Refuses settings and engines that are unsafe for a real sale; `fairgate doctor` lists them."
    })
final class ServeCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Mixin private final ConfigOption config = new ConfigOption();

  @Option(names = "--port", paramLabel = "PORT", description = "Default: 8080; 0 takes a free one.")
  private @Nullable Integer port;

  @Override
  public Integer call() throws Exception {
    Map<String, String> options = new LinkedHashMap<>(Map.of("demo", "off"));
    if (port != null) {
      options.put("server.port", port.toString());
    }
    FairgateConfig settings = FairgateConfig.of(config.read(options));
    List<Finding> findings = new ArrayList<>(Preflight.settings(settings));
    List<String> wrong = Preflight.refusals(findings);
    if (!wrong.isEmpty()) {
      throw new ConfigReader.Errors(wrong);
    }
    OpenFiles.check();
    PortCheck.check(settings.server());
    Logs.forMachines();
    findings.addAll(Preflight.engines(settings));
    refuseUnsafe(findings, settings);
    // The program's first logger; an earlier one would not know its destination.
    Logger log = LoggerFactory.getLogger(ServeCommand.class);
    findings.forEach(finding -> log.warn("Preflight: {}", finding.text()));
    Running running =
        Wiring.start(settings, EngineAddresses.external(settings), Replaceable.real());
    if (running instanceof RunningServer server && !server.operators().hasOwner()) {
      log.warn(
          "No owner can sign in to the console; run `fairgate operator add NAME --role owner`");
    }
    return Server.run(
        settings, running, Map.of(), () -> {}, Objects.requireNonNull(spec).commandLine().getOut());
  }

  /// Ends the start when an engine is not safe to sell on, or when nobody knows whether it is.
  private static void refuseUnsafe(List<Finding> findings, FairgateConfig settings) {
    List<String> unsafe = Preflight.refusals(findings);
    if (!unsafe.isEmpty()) {
      throw new StartFailed(
          "The engines are not safe to sell on:\n  - " + String.join("\n  - ", unsafe));
    }
    List<String> unanswered = Preflight.unanswered(findings);
    if (!unanswered.isEmpty() && !settings.stores().engines().startsUnchecked()) {
      throw new StartFailed(
          "It could not be checked whether the engines are safe to sell on:\n  - "
              + String.join("\n  - ", unanswered)
              + "\nengines.wait_seconds says how long to wait; engines.unchecked: accepted starts"
              + " without the check");
    }
  }
}
