package fairgate.app.config;

import fairgate.kernel.AddressBlock;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What `serve` does not start with: settings that are fine at home and unsafe in public. What is
/// unsafe about the challenge is the gate's own to say.
public final class ServeChecks {
  private static final int TOKEN_LENGTH = 20;

  private ServeChecks() {}

  /// One sentence for each problem; empty when the settings are safe.
  public static List<String> problems(FairgateConfig config) {
    List<String> problems = new ArrayList<>();
    stores(config, problems);
    proxies(config.server().proxies(), problems);
    keys(config, problems);
    FairgateConfig.Bans bans = config.gate().bans();
    if (!bans.crowdsecUrl().isEmpty() && bans.crowdsecKey().isEmpty()) {
      problems.add("bans.crowdsec_key: CrowdSec answers nobody without one (cscli bouncers add)");
    }
    if (!config.gate().limits().on()) {
      problems.add("limits: off is for load tests; turn them on");
    }
    if (config.channels().identity().equals("console")) {
      problems.add("identity.provider: console writes one-time codes into the log; use off");
    }
    if (config.payment().provider().equals("webhook") && config.payment().secrets().isEmpty()) {
      problems.add("payment.secret: the webhook provider needs its secret (whsec_...)");
    }
    boolean channel = !config.channels().line().channelSecrets().isEmpty();
    if (channel && config.channels().line().channelToken().isEmpty()) {
      problems.add("line.channel_token: a channel with a secret needs its access token as well");
    }
    if (channel && config.channels().line().shopUrl().isEmpty()) {
      problems.add("line.shop_url: set it to the shop's address as buyers see it");
    }
    return problems;
  }

  private static void proxies(FairgateConfig.Proxies proxies, List<String> problems) {
    if (proxies.proxyProtocol() && proxies.trusted().isEmpty()) {
      problems.add(
          "server.proxy_protocol: nobody could connect; name the proxies in server.trusted_proxies");
    }
    if (proxies.trusted().stream().anyMatch(ServeChecks::isEverybody)) {
      problems.add(
          "server.trusted_proxies: everybody could claim any address; name the proxies only");
    }
  }

  /// Whether the block is so wide that it cannot be somebody's own proxies.
  private static boolean isEverybody(AddressBlock block) {
    return block.bits() - (block.isV4() ? AddressBlock.V4_BITS : 0) < 4;
  }

  private static void stores(FairgateConfig config, List<String> problems) {
    if (config.stores().redis().url().isEmpty()) {
      problems.add("redis.url: set REDIS_URL to a Redis or Valkey 7 (or use `fairgate up`)");
    }
    cluster(config.stores().redis(), problems);
    Secret database = config.stores().database().url();
    if (database.isEmpty()) {
      problems.add("database.url: set DATABASE_URL to a PostgreSQL (or use `fairgate up`)");
    } else {
      databaseProblem(database).ifPresent(problems::add);
    }
  }

  private static void cluster(FairgateConfig.Redis redis, List<String> problems) {
    if (!redis.cluster()) {
      if (!redis.nodes().isEmpty()) {
        problems.add("redis.nodes: only a cluster has several; set redis.mode to cluster");
      }
      return;
    }
    URI uri = URI.create(redis.url().expose());
    boolean database = String.valueOf(uri.getPath()).matches("/[^0].*|/0.+");
    if (!redis.url().isEmpty() && (uri.getHost() == null || uri.getPort() < 0 || database)) {
      problems.add(
          "redis.url: in a cluster, redis://[user:password@]host:port of one of its nodes;"
              + " it has no numbered databases");
    }
    for (String node : redis.nodes()) {
      if (!node.matches("[^:/@\\s]+:\\d{1,5}|\\[[0-9a-fA-F:]+]:\\d{1,5}")) {
        problems.add("redis.nodes: expected host:port, not " + node);
      }
    }
  }

  /// What keeps a database URL from being used; empty when nothing does.
  public static Optional<String> databaseProblem(Secret url) {
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
}
