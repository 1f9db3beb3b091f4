package fairgate.app.config;

import fairgate.kernel.AddressBlock;
import fairgate.platform.feature.Secret;
import fairgate.platform.tls.TlsFiles;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// The preflight checks of the settings: conditions that are fine at home and unsafe in public.
/// `app.Preflight` adds the checks of features and engines.
public final class ServeChecks {
  /// Enough for a token that can be guessed over the network only.
  private static final int TOKEN_BITS = 72;

  /// Enough for a key whose signatures can be attacked offline.
  private static final int KEY_BITS = 112;

  private static final Pattern SSL_MODE = Pattern.compile("sslmode=(disable|require|verify-full)");

  private ServeChecks() {}

  /// One finding for each problem; empty when the settings are safe.
  public static List<Finding> findings(FairgateConfig config) {
    List<String> problems = new ArrayList<>();
    stores(config, problems);
    proxies(config.server().proxies(), problems);
    keys(config, problems);
    payment(config, problems);
    GateSettings.Bans bans = config.gate().bans();
    if (!bans.crowdsecUrl().isEmpty() && bans.crowdsecKey().isEmpty()) {
      problems.add("bans.crowdsec_key: CrowdSec answers nobody without one (cscli bouncers add)");
    }
    if (!config.gate().limits().on()) {
      problems.add("limits: off is for load tests; turn them on");
    }
    channels(config, problems);
    signIn(config, problems);
    List<Finding> findings = new ArrayList<>();
    problems.forEach(problem -> findings.add(new Finding.Refused(problem)));
    if (isLoopback(config.server().host()) && config.server().proxies().trusted().isEmpty()) {
      findings.add(
          new Finding.Warning(
              "server.trusted_proxies: the server listens on the loopback address, so a proxy has"
                  + " to be in front; name it (say 127.0.0.1). Otherwise all buyers share the"
                  + " proxy's address, its limits and its bans"));
    }
    for (ConfigKey key : ConfigRecords.KEYS) {
      String value = config.values().text(key.name());
      if (!key.warning().isEmpty() && key.warning().startsWith(value + " ")) {
        findings.add(new Finding.Warning(key.name() + ": " + key.warning()));
      }
    }
    return List.copyOf(findings);
  }

  private static boolean isLoopback(String host) {
    return host.equals("localhost") || host.equals("::1") || host.startsWith("127.");
  }

  private static void channels(FairgateConfig config, List<String> problems) {
    if (config.channels().identity().equals("console")) {
      problems.add(
          "identity.provider: console sends codes to nobody but a file of this machine; use auto or"
              + " off");
    }
    messages(config.channels().messages(), problems);
    if (config.baseUrl().isEmpty()) {
      problems.add(
          "links.base_url: set it to the shop's public address, such as"
              + " https://tickets.example.com; without it short links begin with the address"
              + " this server listens on");
    }
    problems.addAll(config.features().problems(true));
  }

  private static void signIn(FairgateConfig config, List<String> problems) {
    SignInSettings signIn = config.signIn();
    FairgateConfig.Operators operators = config.operators();
    String console = operators.baseUrl().isEmpty() ? signIn.baseUrl() : operators.baseUrl();
    if (!operators.oidcIssuer().isEmpty() && !console.startsWith("https://")) {
      problems.add(
          "operators.base_url: the operators' provider needs the console's public https address,"
              + " such as https://tickets.example.com");
    }
    boolean needed =
        !signIn.providers().isEmpty()
            || !signIn.baseUrl().isEmpty()
            || signIn.passkeys().equals("on");
    if (needed && !signIn.baseUrl().startsWith("https://")) {
      problems.add(
          "sign_in.base_url: providers and passkeys need the shop's public https address, such as"
              + " https://tickets.example.com");
    }
  }

  private static void messages(MessageSettings messages, List<String> problems) {
    problems.addAll(messages.problems());
    MessageSettings.Smtp smtp = messages.smtp();
    if (messages.email().equals("smtp") && smtp.tls().equals("off") && !isLoopback(smtp.host())) {
      problems.add(
          "messages.smtp_tls: off sends codes and the password in the clear to another machine;"
              + " use starttls or tls");
    }
    clear("messages.webhook_url", messages.webhook().url(), problems);
    clear("messages.twilio_url", messages.twilio().url(), problems);
    clear("person_register.url", messages.register().url(), problems);
  }

  /// Codes, keys and names of persons do not leave the machine unencrypted.
  private static void clear(String name, String url, List<String> problems) {
    if (url.startsWith("http://") && !isLoopback(String.valueOf(URI.create(url).getHost()))) {
      problems.add(name + ": use https; http carries codes, keys or names in the clear");
    }
  }

  private static void payment(FairgateConfig config, List<String> problems) {
    PaymentSettings payment = config.payment();
    if (payment.provider().equals("sandbox") && !payment.sandboxAccepted()) {
      problems.add(
          "payment.provider: sandbox takes no money, and every buyer can mark an order as paid; set"
              + " FAIRGATE_PAYMENT to your provider, or payment.sandbox_in_production: accepted");
    }
    for (String name : payment.missing()) {
      problems.add(name + ": the provider " + payment.provider() + " needs it");
    }
    if (payment.isHosted() && !config.baseUrl().startsWith("https://")) {
      problems.add(
          "links.base_url: the payment provider sends buyers back to the shop's public https"
              + " address, such as https://tickets.example.com");
    }
    clear("payment.api_url", payment.apiUrl(), problems);
    for (Secret secret : payment.secrets()) {
      weak(secret.expose().replaceFirst("^whsec_", ""))
          .ifPresent(bits -> problems.add("payment.secret: too easy to guess (" + bits + ")"));
    }
  }

  /// A description of a weak secret; empty when it is strong enough.
  private static Optional<String> weak(String secret) {
    int bits = SecretStrength.ofText(secret);
    return bits < TOKEN_BITS
        ? Optional.of("about %d bits of entropy, %d are needed".formatted(bits, TOKEN_BITS))
        : Optional.empty();
  }

  private static void proxies(FairgateConfig.Proxies proxies, List<String> problems) {
    if (proxies.proxyProtocol() && proxies.trusted().isEmpty()) {
      problems.add(
          "server.proxy_protocol: nobody could connect; name the proxies in"
              + " server.trusted_proxies");
    }
    if (proxies.trusted().stream().anyMatch(ServeChecks::isEverybody)) {
      problems.add(
          "server.trusted_proxies: everybody could claim any address; name the proxies only");
    }
  }

  /// Whether the block is too wide to be the operator's own proxies.
  private static boolean isEverybody(AddressBlock block) {
    return block.bits() - (block.isV4() ? AddressBlock.V4_BITS : 0) < 4;
  }

  private static void stores(FairgateConfig config, List<String> problems) {
    if (config.stores().redis().url().isEmpty()) {
      problems.add(
          "redis.url: set REDIS_URL, or REDIS_ADDR with REDIS_PASSWORD and REDIS_DB, to a Redis or"
              + " Valkey 7 (or use `fairgate up`)");
    }
    cluster(config.stores().redis(), problems);
    encryption(config.stores(), problems);
    FairgateConfig.Database database = config.stores().database();
    if (database.url().isEmpty()) {
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

  /// The problem of a database's URL; empty when it is usable.
  public static Optional<String> databaseProblem(FairgateConfig.Database database) {
    URI uri = URI.create(database.url().expose());
    boolean complete =
        uri.getHost() != null
            && String.valueOf(uri.getRawUserInfo()).contains(":")
            && String.valueOf(uri.getPath()).length() > 1
            && (uri.getQuery() == null || SSL_MODE.matcher(uri.getQuery()).matches());
    if (!complete) {
      return Optional.of(
          "database.url: expected postgresql://user:password@host:port/database, with nothing"
              + " after it but ?sslmode=disable, require or verify-full");
    }
    boolean hasProof =
        !uri.getRawUserInfo().endsWith(":") || !database.tls().files().certificate().isEmpty();
    return hasProof
        ? Optional.empty()
        : Optional.of(
            "database.url: the password after the user is empty; set it (any word, if PostgreSQL"
                + " asks for none)");
  }

  private static void encryption(FairgateConfig.Stores stores, List<String> problems) {
    TlsFiles redis = stores.redis().tls().files();
    files("redis", redis, problems);
    if (!redis.isEmpty() && !stores.redis().url().expose().startsWith("rediss://")) {
      problems.add("redis.ca_file, cert_file, key_file: only rediss:// uses them");
    }
    TlsFiles database = stores.database().tls().files();
    files("database", database, problems);
    String url = stores.database().url().expose();
    if (!database.authorities().isEmpty() && !url.endsWith("?sslmode=verify-full")) {
      problems.add("database.ca_file: only ?sslmode=verify-full in database.url uses it");
    }
    if (!database.certificate().isEmpty() && !url.matches(".*\\?sslmode=(require|verify-full)")) {
      problems.add("database.cert_file: set ?sslmode=verify-full in database.url");
    }
  }

  private static void files(String section, TlsFiles files, List<String> problems) {
    if (files.certificate().isEmpty() != files.key().isEmpty()) {
      problems.add(section + ".cert_file, key_file: set both or none");
    }
    for (String file : List.of(files.authorities(), files.certificate(), files.key())) {
      if (!file.isEmpty() && !Files.isReadable(Path.of(file))) {
        problems.add(section + ": the file cannot be read: " + file);
      }
    }
  }

  private static void keys(FairgateConfig config, List<String> problems) {
    Secret master = config.keys().master();
    Optional<String> malformed = MasterSecret.problem(master);
    malformed.ifPresent(problem -> problems.add("master_secret: " + problem));
    if (malformed.isEmpty()) {
      MasterSecret.bytes(master).values().stream()
          .mapToInt(SecretStrength::ofBytes)
          .filter(bits -> bits < KEY_BITS)
          .forEach(
              bits ->
                  problems.add(
                      "master_secret: too easy to guess (about %d bits of entropy, %d are needed);"
                              .formatted(bits, KEY_BITS)
                          + " make one with `fairgate keys new`"));
    }
    Secret token = config.keys().operatorToken();
    Optional.of(token.expose())
        .filter(text -> !text.isEmpty())
        .flatMap(ServeChecks::weak)
        .ifPresent(
            bits ->
                problems.add(
                    "operator_token: too easy to guess ("
                        + bits
                        + "); make one with `openssl rand -hex 24`, or leave it out"));
  }
}
