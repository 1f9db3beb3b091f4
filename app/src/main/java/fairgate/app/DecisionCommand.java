package fairgate.app;

import fairgate.app.command.ConfigOption;
import fairgate.app.config.FairgateConfig;
import fairgate.gate.policy.DecisionExplanation;
import fairgate.gate.policy.DecisionReplay;
import fairgate.gate.policy.RecordedDecisions;
import fairgate.kernel.Decision;
import fairgate.kernel.DecisionCodec;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Computes recorded risk decisions again, without the server.
@Command(
    name = "decision",
    description = "Computes recorded risk decisions again.",
    synopsisSubcommandLabel = "replay")
final class DecisionCommand {
  @Spec private @Nullable CommandSpec spec;

  /// The time of the decisions to replay.
  static final class Range {
    @Option(names = "--all", description = "All recorded decisions.")
    private boolean all;

    @Option(
        names = "--from",
        paramLabel = "TIME",
        description = "Decisions from this time on, such as 2026-11-24T12:00:00Z.")
    private @Nullable Instant from;

    @Option(names = "--to", paramLabel = "TIME", description = "Decisions before this time.")
    private @Nullable Instant to;

    boolean isEmpty() {
      return !all && from == null && to == null;
    }

    RecordedDecisions.Range range() {
      return new RecordedDecisions.Range(
          Objects.requireNonNullElse(from, RecordedDecisions.Range.BEGINNING),
          Objects.requireNonNullElse(to, RecordedDecisions.Range.END),
          Long.MAX_VALUE);
    }
  }

  @Command(
      name = "replay",
      description = {
        "Computes decisions again and compares them with the record.",
        "It computes them from their recorded features and bundle, and compares every part of the",
        "result. One decision is explained: its features, the rules that matched with their points,",
        "and what would have happened without each.",
        "On DATABASE_URL, or on the data of `up`, running or not. Exit code 1 when a decision is",
        "missing or different."
      },
      mixinStandardHelpOptions = true)
  int replay(
      @Mixin ConfigOption config,
      @Option(names = "--data", paramLabel = "DIR", description = "Default: ./data.")
          @Nullable Path data,
      @Mixin Range range,
      @Parameters(arity = "0..1", paramLabel = "ID", description = "The id of one decision.")
          @Nullable String id)
      throws IOException {
    if ((id == null) == range.isEmpty()) {
      throw new CommandLine.ParameterException(
          Objects.requireNonNull(spec).commandLine(),
          "give the ID of a decision, or --all, --from or --to");
    }
    FairgateConfig settings = FairgateConfig.of(config.read(OfflineDatabase.options(data)));
    return OfflineDatabase.use(
        settings,
        database -> {
          DecisionReplay replay = new DecisionReplay(new RecordedDecisions(database));
          return id == null ? many(replay, range.range()) : one(replay, id);
        });
  }

  /// Ids of refusals describe themselves. Those on risk name the decision that is recorded.
  private int one(DecisionReplay replay, String id) {
    Optional<Decision> described = DecisionCodec.describe(id);
    String recorded = described.map(Decision::ref).orElse(id);
    if (recorded.isEmpty()) {
      return missing(
          "this id describes the decision itself, %s; nothing is recorded that could be replayed"
              .formatted(described.orElseThrow().code()));
    }
    Optional<DecisionReplay.Replayed> found = replay.one(recorded);
    if (found.isEmpty()) {
      return missing("there is no decision " + recorded);
    }
    PrintWriter out = out();
    DecisionExplanation.lines(found.get()).forEach(out::println);
    out.flush();
    return found.get().isIdentical() ? 0 : CommandLine.ExitCode.SOFTWARE;
  }

  private int missing(String problem) {
    Objects.requireNonNull(spec).commandLine().getErr().println(problem);
    return CommandLine.ExitCode.SOFTWARE;
  }

  private int many(DecisionReplay replay, RecordedDecisions.Range range) {
    long start = System.nanoTime();
    DecisionReplay.Summary summary = replay.range(range);
    PrintWriter out = out();
    out.printf(
        "%d decisions replayed in %.1f s, %d of them different%n",
        summary.decisions(), (System.nanoTime() - start) / 1e9, summary.different());
    summary.named().forEach(id -> out.println("DIFFERENT  " + id));
    out.flush();
    return summary.different() == 0 ? 0 : CommandLine.ExitCode.SOFTWARE;
  }

  private PrintWriter out() {
    return Objects.requireNonNull(spec).commandLine().getOut();
  }
}
