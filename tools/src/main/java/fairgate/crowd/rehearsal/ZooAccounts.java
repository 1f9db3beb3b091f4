package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.Answer;
import fairgate.crowd.CrowdClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Accounts with verified telephone numbers, made as they are needed and kept for all sales of a
/// run. Each is made from an address of its own, because the attacker has time to prepare.
final class ZooAccounts {
  private static final int AT_ONCE = 4;
  private static final long PATIENCE_MS = 120_000;

  /// A code is awaited for twenty seconds.
  private static final int CODE_LOOKS = 100;

  private static final long LOOK_MS = 200;
  private static final int REPEATS = 30;
  private static final long REPEAT_MS = 1_000;
  private static final int BUSY = 503;
  private static final int TAKEN = 409;

  private final Vertx vertx;
  private final ZooServer server;
  private final Path codes;
  private final String run = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
  private final List<String> tokens = new ArrayList<>();

  /// @param codes the file of the development verifier, one telephone and code a line
  ZooAccounts(Vertx vertx, ZooServer server, Path codes) {
    this.vertx = vertx;
    this.server = server;
    this.codes = codes;
  }

  /// The tokens of accounts. The same range returns the same accounts. Blocks.
  ///
  /// @param from the first, 0 or more
  /// @param to the one after the last
  List<String> range(int from, int to) {
    try (CrowdClient http = new CrowdClient(vertx, AT_ONCE)) {
      while (tokens.size() < to) {
        List<Future<String>> some = new ArrayList<>();
        for (int i = tokens.size(); i < Math.min(to, tokens.size() + AT_ONCE); i++) {
          some.add(make(http, i));
        }
        var _ = Future.all(some).await(PATIENCE_MS, TimeUnit.MILLISECONDS);
        some.forEach(one -> tokens.add(one.result()));
      }
    } catch (TimeoutException e) {
      throw new IllegalStateException("the server does not answer", e);
    }
    return List.copyOf(tokens.subList(from, to));
  }

  /// Registers, signs in and verifies a telephone.
  private Future<String> make(CrowdClient http, int number) {
    // A network of its own, because codes are limited by network.
    String address = "10." + (100 + number / 250) + "." + number % 250 + ".1";
    Browser browser = new Browser(http, server.target(), new Tally(), address, true);
    String phone = String.format(Locale.ROOT, "+8869%08d", number);
    ObjectNode credentials =
        body("username", "visitor" + run + "x" + number).put("password", "rehearsal " + run);
    // The name is taken when a registration without a reply has succeeded.
    return post(browser, "/api/v1/register", credentials, 201, TAKEN)
        .compose(_ -> post(browser, "/api/v1/login", credentials, 200))
        .compose(
            answer -> {
              String token = answer.text("token");
              browser.signIn(token);
              return post(browser, "/api/v1/identity/phone", body("phone", phone), 202)
                  .compose(_ -> codeOf(phone, CODE_LOOKS))
                  .compose(
                      code ->
                          post(
                              browser,
                              "/api/v1/identity/phone/confirm",
                              body("phone", phone).put("code", code),
                              200))
                  .map(token);
            });
  }

  private static ObjectNode body(String name, String value) {
    return JsonNodeFactory.instance.objectNode().put(name, value);
  }

  private Future<Answer> post(Browser browser, String path, ObjectNode body, Integer... expected) {
    return postAgain(browser, path, body, REPEATS)
        .compose(
            answer ->
                List.of(expected).contains(answer.status())
                    ? Future.succeededFuture(answer)
                    : Future.failedFuture(
                        new IllegalStateException(
                            "no account for the rehearsal: " + path + ": " + answer)));
  }

  /// Posts again while the server is too busy to answer.
  private Future<Answer> postAgain(Browser browser, String path, ObjectNode body, int repeats) {
    return browser
        .post(Call.ACCOUNT, path, Map.of(), body)
        .compose(
            answer ->
                repeats > 0 && (answer.unknown() || answer.status() == BUSY)
                    ? vertx
                        .timer(REPEAT_MS, TimeUnit.MILLISECONDS)
                        .compose(_ -> postAgain(browser, path, body, repeats - 1))
                    : Future.succeededFuture(answer));
  }

  /// The newest code of a telephone. The server sends codes a moment after its reply.
  private Future<String> codeOf(String phone, int looks) {
    Optional<String> code = writtenCode(phone);
    if (code.isPresent()) {
      return Future.succeededFuture(code.get());
    }
    return looks == 0
        ? Future.failedFuture(new IllegalStateException("no code for a telephone in " + codes))
        : vertx.timer(LOOK_MS, TimeUnit.MILLISECONDS).compose(_ -> codeOf(phone, looks - 1));
  }

  private Optional<String> writtenCode(String phone) {
    if (!Files.exists(codes)) {
      return Optional.empty();
    }
    try {
      return Files.readAllLines(codes).reversed().stream()
          .filter(line -> line.startsWith(phone + " "))
          .map(line -> line.substring(phone.length() + 1))
          .findFirst();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
