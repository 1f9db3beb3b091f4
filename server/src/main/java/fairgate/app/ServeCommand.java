package fairgate.app;

import fairgate.app.command.ConfigOption;
import fairgate.app.config.ConfigErrors;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.ServeChecks;
import fairgate.gate.GateConfig;
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
      "Starts the server on the Redis and PostgreSQL of REDIS_URL and DATABASE_URL.",
      "Refuses settings that are unsafe in public."
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
    GateConfig gate = Settings.gate(settings.gate().challenge());
    List<String> problems = new ArrayList<>(ServeChecks.problems(settings));
    problems.addAll(gate.problems());
    problems.addAll(gate.problemsInProduction());
    if (!problems.isEmpty()) {
      throw new ConfigErrors(problems);
    }
    FreePort.check(settings.server().host(), settings.server().port());
    Logs.forMachines();
    // The first logger of the program: made before, it would not know where to write.
    Logger log = LoggerFactory.getLogger(ServeCommand.class);
    gate.warnings().forEach(log::warn);
    if (settings.payment().provider().equals("sandbox")) {
      log.warn("payment.provider is sandbox: whoever orders may say that he has paid");
    }
    Running running = Wiring.start(settings, EngineAddresses.external(settings), Seams.real());
    return Server.run(
        settings, running, Map.of(), () -> {}, Objects.requireNonNull(spec).commandLine().getOut());
  }
}
