package fairgate.app;

import fairgate.app.command.StartFailed;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.Finding;
import fairgate.app.config.Finding.Refused;
import fairgate.app.config.Finding.Unanswered;
import fairgate.app.config.Finding.Unknown;
import fairgate.app.config.Finding.Warning;
import fairgate.app.config.ServeChecks;
import fairgate.gate.GateConfig;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.http.Loops;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresRefusal;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisFacts;
import fairgate.platform.redis.RedisFailure;
import fairgate.platform.redis.RedisSettings;
import fairgate.platform.run.EngineWait;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/// The conditions for a real sale. `serve` does not start with a [Refused] among the findings;
/// `doctor` and `config check --serve` print them.
final class Preflight {
  private Preflight() {}

  /// The findings about the settings.
  static List<Finding> settings(FairgateConfig config) {
    List<Finding> findings = new ArrayList<>(ServeChecks.findings(config));
    try {
      GateConfig gate = Settings.gate(config.gate().challenge());
      gate.problems().forEach(problem -> findings.add(new Refused(problem)));
      gate.problemsInProduction().forEach(problem -> findings.add(new Refused(problem)));
      gate.warnings().forEach(warning -> findings.add(new Warning(warning)));
    } catch (StartFailed | IllegalArgumentException e) {
      findings.add(new Refused(String.valueOf(e.getMessage())));
    }
    // The features check their own sections; a start would fail with the same messages.
    List<Supplier<?>> sections =
        List.of(
            () -> Settings.http(config),
            () -> Settings.signatures(config.gate()),
            () -> Settings.bans(config),
            () -> Settings.limits(config.gate().limits()),
            () -> Settings.webhooks(config.channels().webhooks()),
            () -> SignInWiring.providers(config.signIn()));
    for (Supplier<?> section : sections) {
      try {
        Object _ = section.get();
      } catch (StartFailed | IllegalArgumentException e) {
        findings.add(new Refused(String.valueOf(e.getMessage())));
      }
    }
    return List.copyOf(findings);
  }

  /// The findings about Redis and PostgreSQL, over separate connections. Waits for an engine that
  /// does not answer, as long as the settings say; then it is an [Unanswered]. One that refuses the
  /// login or the certificate is a [Refused], at once.
  ///
  /// @param config must have no [Refused] in [#settings]
  static List<Finding> engines(FairgateConfig config) {
    List<Finding> findings = new ArrayList<>(redis(config));
    findings.addAll(postgres(config));
    return List.copyOf(findings);
  }

  /// The findings about Redis.
  ///
  /// @param config needs a usable `redis.url`
  static List<Finding> redis(FairgateConfig config) {
    Vertx vertx = Loops.vertx(1);
    EngineWait engineWait = config.stores().engines().engineWait();
    RedisSettings settings =
        EngineAddresses.redis(config.stores().redis()).withCallBudget(engineWait.limit());
    try (RedisClient redis = engineWait.answer(() -> RedisClient.connect(vertx, settings))) {
      List<RedisFacts> facts = engineWait.answer(redis::facts);
      List<Finding> findings = new ArrayList<>();
      facts.forEach(one -> findings.addAll(RedisChecks.findings(one)));
      if (config.stores().redis().replicated()) {
        facts.forEach(one -> findings.addAll(RedisChecks.replication(one)));
      }
      return findings.stream().distinct().toList();
    } catch (ServiceUnavailable | RedisFailure e) {
      return List.of(
          isRefusal(e)
              ? new Refused(String.valueOf(e.getMessage()))
              : new Unanswered(
                  "redis: no answer (" + e.getMessage() + "), so its settings are not known"));
    } finally {
      var _ = vertx.close();
    }
  }

  /// The findings about PostgreSQL.
  ///
  /// @param config needs a usable `database.url`
  static List<Finding> postgres(FairgateConfig config) {
    Vertx vertx = Loops.vertx(1);
    try (PostgresDatabase database =
        PostgresDatabase.open(vertx, EngineAddresses.external(config).postgres())) {
      return PostgresChecks.findings(
          config.stores().engines().engineWait().answer(database::fitness));
    } catch (PostgresRefusal | ServiceUnavailable e) {
      return List.of(
          isRefusal(e)
              ? new Refused(String.valueOf(e.getMessage()))
              : new Unanswered(
                  "postgresql: no answer (" + e.getMessage() + "), so it is not known"));
    } finally {
      var _ = vertx.close();
    }
  }

  /// Whether waiting for an engine is useless.
  static boolean isRefusal(RuntimeException failure) {
    return failure instanceof ServiceUnavailable unavailable && unavailable.isRefusal();
  }

  /// The texts of the findings that prevent a start of `serve`.
  static List<String> refusals(List<Finding> findings) {
    return findings.stream().filter(Refused.class::isInstance).map(Finding::text).toList();
  }

  /// The texts of the findings about engines that did not answer.
  static List<String> unanswered(List<Finding> findings) {
    return findings.stream().filter(Unanswered.class::isInstance).map(Finding::text).toList();
  }

  /// The finding as a line for the terminal.
  static String line(Finding finding) {
    String mark =
        switch (finding) {
          case Refused _ -> "FAIL ";
          case Warning _ -> "warn ";
          case Unknown _, Unanswered _ -> "?    ";
        };
    return mark + " " + finding.text();
  }
}
