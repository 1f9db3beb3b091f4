package fairgate.app;

import fairgate.app.command.ConfigOption;
import fairgate.app.config.FairgateConfig;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.http.Loops;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisSettings;
import fairgate.platform.run.EngineWait;
import fairgate.sale.ledger.SaleExplanation;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
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

/// Explains the state of a sale, without the server.
@Command(
    name = "explain",
    description = "Explains the units of a sale.",
    synopsisSubcommandLabel = "sale")
final class ExplainCommand {
  @Spec private @Nullable CommandSpec spec;

  @Command(
      name = "sale",
      description = {
        "Counts the units of a sale three times and compares them.",
        "It counts them in Redis, in the ledger and in the orders (released = sold + held + free),",
        "and says which source is right and what to do. Changes nothing. On REDIS_URL and",
        "DATABASE_URL, or on the data of `up`; the server may run. Exit code 1 when the sources",
        "differ or one does not answer."
      },
      mixinStandardHelpOptions = true)
  int sale(
      @Mixin ConfigOption config,
      @Option(names = "--data", paramLabel = "DIR", description = "Default: ./data.")
          @Nullable Path data,
      @Parameters(paramLabel = "ID", description = "The product id.") String id)
      throws IOException {
    if (!id.matches("[0-9]{1,19}")) {
      throw new CommandLine.ParameterException(
          Objects.requireNonNull(spec).commandLine(), "ID is a product id: up to 19 digits");
    }
    FairgateConfig settings = FairgateConfig.of(config.read(OfflineDatabase.options(data)));
    EngineWait engineWait = settings.stores().engines().engineWait();
    return OfflineDatabase.engines(
        settings, engines -> explain(engines, new ProductId(id), engineWait));
  }

  private int explain(EngineAddresses engines, ProductId product, EngineWait engineWait) {
    Vertx vertx = Loops.vertx(1);
    Optional<RedisClient> redis = connect(vertx, engines.redis(), engineWait);
    try (PostgresDatabase postgres = PostgresDatabase.open(vertx, engines.postgres())) {
      SaleExplanation explanation = SaleExplanation.of(redis, postgres, product, engineWait);
      PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
      explanation.lines().forEach(out::println);
      out.flush();
      return explanation.balanced() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    } finally {
      redis.ifPresent(RedisClient::close);
      var _ = vertx.close();
    }
  }

  private static Optional<RedisClient> connect(
      Vertx vertx, RedisSettings settings, EngineWait engineWait) {
    RedisSettings patient = settings.withCallBudget(engineWait.limit());
    try {
      return Optional.of(engineWait.answer(() -> RedisClient.connect(vertx, patient)));
    } catch (ServiceUnavailable _) {
      return Optional.empty();
    }
  }
}
