package fairgate.app.config;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// What `serve` does not start with: settings that are fine at home and unsafe in public.
public final class ServeChecks {
  /// Cloudflare's published secrets that pass, refuse or time out on purpose.
  private static final Pattern TURNSTILE_TEST = Pattern.compile("[1-3]x0{10,}.*");

  private static final int TOKEN_LENGTH = 20;

  private ServeChecks() {}

  /// One sentence for each problem; empty when the settings are safe.
  public static List<String> problems(FairgateConfig config) {
    List<String> problems = new ArrayList<>();
    stores(config, problems);
    keys(config, problems);
    challenge(config.gate().challenge(), problems);
    if (!config.gate().limits()) {
      problems.add("limits: off is for load tests; turn them on");
    }
    if (config.channels().identity().equals("console")) {
      problems.add("identity.provider: console writes one-time codes into the log; use off");
    }
    if (config.payment().provider().equals("webhook") && config.payment().secrets().isEmpty()) {
      problems.add("payment.secret: the webhook provider needs its secret (whsec_...)");
    }
    return problems;
  }

  private static void stores(FairgateConfig config, List<String> problems) {
    if (config.stores().redis().url().isEmpty()) {
      problems.add("redis.url: set REDIS_URL to a Redis or Valkey 7 (or use `fairgate up`)");
    }
    Secret database = config.stores().database().url();
    if (database.isEmpty()) {
      problems.add("database.url: set DATABASE_URL to a PostgreSQL (or use `fairgate up`)");
    } else {
      databaseProblem(database).ifPresent(problems::add);
    }
  }

  /// What keeps a database URL from being used; empty when nothing does.
  private static Optional<String> databaseProblem(Secret url) {
    URI uri = URI.create(url.expose());
    boolean complete =
        uri.getHost() != null
            && String.valueOf(uri.getRawUserInfo()).contains(":")
            && String.valueOf(uri.getPath()).length() > 1
            && uri.getQuery() == null;
    return complete
        ? Optional.empty()
        : Optional.of(
            "database.url: expected postgresql://user:password@host:port/database, nothing after");
  }

  private static void keys(FairgateConfig config, List<String> problems) {
    Secret master = config.keys().master();
    MasterSecret.problem(master).ifPresent(problem -> problems.add("master_secret: " + problem));
    if (config.keys().operatorToken().expose().length() < TOKEN_LENGTH) {
      problems.add("operator_token: set a random one of at least " + TOKEN_LENGTH + " characters");
    }
  }

  private static void challenge(FairgateConfig.Challenge challenge, List<String> problems) {
    if (challenge.provider().equals("test")) {
      problems.add("challenge.provider: test lets everybody in; choose altcha or turnstile");
    }
    boolean asksProvider =
        challenge.provider().equals("turnstile") || challenge.provider().equals("hcaptcha");
    if (asksProvider && (challenge.secret().isEmpty() || challenge.siteKey().isEmpty())) {
      problems.add("challenge: " + challenge.provider() + " needs its site_key and its secret");
    }
    if (TURNSTILE_TEST.matcher(challenge.secret().expose()).matches()
        || TURNSTILE_TEST.matcher(challenge.siteKey()).matches()) {
      problems.add("challenge: this is a published test key of Turnstile; use your own");
    }
  }
}
