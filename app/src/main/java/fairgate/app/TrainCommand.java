package fairgate.app;

import fairgate.app.command.ConfigOption;
import fairgate.app.config.FairgateConfig;
import fairgate.gate.policy.ModelTraining;
import fairgate.gate.policy.PolicyService;
import fairgate.gate.policy.RecordedDecisions;
import fairgate.platform.postgres.PostgresDatabase;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Trains the optional model of a bundle from recorded decisions, without the server.
@Command(
    name = "train",
    description = {
      "Trains the model of a risk policy from recorded decisions.",
      "It makes gradient-boosted trees of decisions with a known outcome, and writes them as the",
      "member `model` of a bundle. The newest fifth of the decisions is the test: precision,",
      "recall, calibration, and the effect together with the rules of the active policy.",
      "Exit code 1, and no file, when the model would harm more people than it stops bots, or when",
      "there are too few decisions.",
      "On DATABASE_URL, or on the data of `up`, running or not."
    })
final class TrainCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Mixin private ConfigOption config = new ConfigOption();

  @Option(names = "--data", paramLabel = "DIR", description = "Default: ./data.")
  private @Nullable Path data;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      required = true,
      description = "The file for the model.")
  private Path out = Path.of("model.json");

  @Option(
      names = "--name",
      paramLabel = "NAME",
      defaultValue = "trained",
      description = "The name of the model. Default: ${DEFAULT-VALUE}.")
  private String name = "trained";

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "Decisions from this time on, such as 2026-11-24T12:00:00Z.")
  private @Nullable Instant from;

  @Option(names = "--to", paramLabel = "TIME", description = "Decisions before this time.")
  private @Nullable Instant to;

  @Override
  public Integer call() throws IOException {
    FairgateConfig settings = FairgateConfig.of(config.read(OfflineDatabase.options(data)));
    return OfflineDatabase.use(settings, this::train);
  }

  private int train(PostgresDatabase database) throws IOException {
    RecordedDecisions.Range range =
        new RecordedDecisions.Range(
            Objects.requireNonNullElse(from, RecordedDecisions.Range.BEGINNING),
            Objects.requireNonNullElse(to, RecordedDecisions.Range.END),
            Long.MAX_VALUE);
    ModelTraining training = new ModelTraining(PolicyService.active(database));
    PrintWriter lines = Objects.requireNonNull(spec).commandLine().getOut();
    int code =
        switch (training.run(new RecordedDecisions(database), range, name)) {
          case ModelTraining.Outcome.Trained(String model, var report) -> {
            report.lines().forEach(lines::println);
            Path _ = Files.writeString(out, model + "\n");
            lines.println("wrote " + out);
            yield ExitCode.OK;
          }
          case ModelTraining.Outcome.Refused(String reason, var report) -> {
            report.lines().forEach(lines::println);
            lines.println("REFUSED: " + reason);
            yield ExitCode.SOFTWARE;
          }
          case ModelTraining.Outcome.TooFew(String part, long humans, long bots, int least) -> {
            lines.printf(
                "TOO FEW: %d people and %d bots in the decisions for %s; at least %d of each are"
                    + " needed%n",
                humans, bots, part, least);
            yield ExitCode.SOFTWARE;
          }
        };
    lines.flush();
    return code;
  }
}
