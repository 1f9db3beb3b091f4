package fairgate.app.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.app.client.ShownCalls.ApiResponse;
import fairgate.crowd.AltchaSolver;
import java.net.URI;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Shows one buyer's journey on a running server, call by call.
@Command(
    name = "try",
    description = {
      "Makes one purchase on a running server.",
      "It joins a sale, waits for its turn, buys one unit, sends the same purchase once more, pays",
      "in the sandbox and looks at the order. It prints each call and the interesting part of its",
      "answer.",
      "It really buys: use it on `up` or on a staging server.",
      "Exit code 0: the order is there; 1: the journey ended early, and why is printed; 2: wrong"
          + " usage."
    })
public final class TryCommand implements Callable<Integer> {
  /// Temporary errors, after which the call is repeated.
  private static final Set<String> PASSING =
      Set.of("INVALID_PURCHASE_TOKEN", "SERVICE_UNAVAILABLE");

  @Spec private @Nullable CommandSpec spec;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "URL",
      description = "The server. Default: ${DEFAULT-VALUE}.")
  private String url = "http://127.0.0.1:8080";

  @Option(
      names = "--product",
      paramLabel = "ID",
      description = "The sale to buy in; default: the first one that is open.")
  private @Nullable String product;

  @Option(
      names = "--longest",
      paramLabel = "SECONDS",
      description = "How long to wait for the turn. Default: ${DEFAULT-VALUE}.")
  private int longest = 300;

  private int steps;

  @SuppressWarnings("NullAway.Init")
  private ShownCalls calls;

  @Override
  public Integer call() {
    check();
    calls = new ShownCalls(url, spec().commandLine().getOut());
    String sale = sale();
    String token = challenge(sale);
    step("take a place in the line");
    ApiResponse joined =
        calls.post(
            "/api/queue/join",
            json().put("product_id", sale).put("turnstile_token", token),
            Map.of());
    need(joined, "joining was refused");
    calls.useSession(joined.text("session_id"));
    String order;
    try {
      order = buy(sale);
    } catch (ClientFailed noPurchase) {
      // Leave the queue, so the place does not block other buyers.
      var _ = calls.ask("POST", "/api/queue/leave", null, Map.of());
      throw noPurchase;
    }
    settle(order);
    return 0;
  }

  private void check() {
    URI server;
    try {
      server = URI.create(url);
    } catch (IllegalArgumentException _) {
      throw new ParameterException(spec().commandLine(), "not a server's URL: " + url);
    }
    boolean web = "http".equals(server.getScheme()) || "https".equals(server.getScheme());
    if (!web || server.getHost() == null) {
      throw new ParameterException(
          spec().commandLine(), "not a server's URL, such as http://127.0.0.1:8080: " + url);
    }
    if (longest < 1 || longest > 86_400) {
      throw new ParameterException(
          spec().commandLine(), "--longest: 1 to 86400 seconds, not " + longest);
    }
    url = url.replaceAll("/+$", "");
  }

  /// The id of an open sale.
  private String sale() {
    step("see what is on sale");
    if (product != null) {
      if (!product.matches("[0-9A-Za-z_-]{1,64}")) {
        throw new ParameterException(
            spec().commandLine(), "--product: not the id of a product: " + product);
      }
      ApiResponse one = calls.get("/api/products/" + product);
      need(one, "there is no product " + product);
      return open(one.body());
    }
    ApiResponse all = calls.get("/api/products");
    need(all, "the sales cannot be read");
    JsonNode first = null;
    for (JsonNode each : all.body().path("products")) {
      calls.say("     " + each.path("id").asText() + "  " + each.path("status").asText());
      if (first == null || (isOpen(each) && !isOpen(first))) {
        first = each;
      }
    }
    if (first == null) {
      throw new ClientFailed("this server has no sale; `up` without --no-demo makes one");
    }
    return open(first);
  }

  private static boolean isOpen(JsonNode sale) {
    return sale.path("status").asText().equals("open");
  }

  private String open(JsonNode sale) {
    String id = sale.path("id").asText();
    String status = sale.path("status").asText();
    return switch (status) {
      case "open" -> id;
      case "sold_out" -> throw new ClientFailed("product " + id + " is sold out");
      case "scheduled" ->
          throw new ClientFailed(
              "the sale of product " + id + " has not opened yet" + opening(sale));
      default -> throw new ClientFailed("the sale of product " + id + " is not open: " + status);
    };
  }

  private static String opening(JsonNode sale) {
    String at = sale.path("opens_at").asText("");
    return at.isEmpty() || at.equals("null") ? "" : "; it opens at " + at;
  }

  /// A token that passes the challenge.
  private String challenge(String sale) {
    step("solve the challenge that keeps bots out");
    ApiResponse offer = calls.get("/api/challenge?product_id=" + sale);
    need(offer, "the server gave no challenge");
    String known = offer.text("token");
    if (!known.isEmpty()) {
      calls.say("     the test challenge takes a known token");
      return known;
    }
    if (!offer.body().path("parameters").isObject()) {
      throw new ClientFailed(
          "this server's challenge ("
              + offer.text("provider")
              + ") asks for a person in a browser; try works with altcha and test");
    }
    long start = System.nanoTime();
    String solved = AltchaSolver.solve(offer.body());
    calls.say("     solved in " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) + " ms");
    return solved;
  }

  /// Waits and buys; returns the order id.
  private String buy(String sale) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(longest);
    String key = "try-" + UUID.randomUUID();
    step("wait for the turn");
    String token = turn(deadline);
    step("buy one");
    ApiResponse bought = purchase(sale, token, key);
    while (!bought.ok() && PASSING.contains(bought.text("error")) && left(deadline)) {
      pause(bought);
      bought = purchase(sale, turn(deadline), key);
    }
    need(bought, "the purchase was refused");
    String order = bought.text("order_id");
    step("send the same purchase once more, as after a lost answer: no second order");
    ApiResponse again = purchase(sale, token, key);
    need(again, "the repeat was refused");
    if (!again.text("order_id").equals(order)) {
      throw new ClientFailed("the repeat made another order: " + again.text("order_id"));
    }
    return order;
  }

  private ApiResponse purchase(String sale, String token, String key) {
    ObjectNode body = json().put("product_id", sale).put("quantity", 1);
    if (!token.isEmpty()) {
      body.put("purchase_token", token);
    }
    return calls.post("/api/purchase", body, Map.of("Idempotency-Key", key));
  }

  /// Polls the queue position until it is the buyer's turn; returns a fresh purchase token, empty
  /// in a sale that needs none.
  private String turn(long deadline) {
    String last = "";
    while (true) {
      ApiResponse place = calls.ask("GET", "/api/queue/status", null, Map.of());
      String now = place.text("queue_status") + place.text("people_ahead");
      if (!now.equals(last) || !place.ok()) {
        calls.say("   GET /api/queue/status");
        calls.say(ShownCalls.shown(place));
      }
      last = now;
      if (!place.text("purchase_token").isEmpty()) {
        return place.text("purchase_token");
      }
      if (place.text("queue_status").equals("ready_to_purchase")) {
        // The sale needs no token, or the server refuses the purchase and we ask again.
        return "";
      }
      if (!place.ok() && !PASSING.contains(place.text("error"))) {
        need(place, "the place is gone");
      }
      if (place.text("sale_status").equals("sold_out")) {
        throw new ClientFailed("product " + place.text("product_id") + " is sold out");
      }
      if (place.text("queue_status").equals("expired")) {
        throw new ClientFailed("the place has ended: " + place.text("ended"));
      }
      if (!left(deadline)) {
        throw new ClientFailed(
            "it was not our turn within " + longest + " seconds; --longest waits longer");
      }
      pause(place);
    }
  }

  private static boolean left(long deadline) {
    return System.nanoTime() < deadline;
  }

  private static void pause(ApiResponse answer) {
    long millis = answer.body().path("poll_after_ms").asLong(1_000);
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(Math.clamp(millis, 100, 10_000)));
  }

  private void settle(String order) {
    step("look at the order");
    ApiResponse seen = calls.get("/api/orders/" + order);
    need(seen, "the order cannot be read");
    if (seen.text("status").equals("pending")) {
      step("pay in the sandbox");
      need(
          calls.post("/api/orders/" + order + "/pay", json().put("result", "paid"), Map.of()),
          "the sandbox took no payment; with another provider the buyer pays at its page");
      step("look at the order again");
      need(calls.get("/api/orders/" + order), "the order cannot be read");
    }
    calls.say("");
    calls.say("Done: order " + order + ".");
  }

  private void need(ApiResponse answer, String problem) {
    if (!answer.ok()) {
      String why = answer.text("message");
      throw new ClientFailed(
          problem
              + ": "
              + (why.isEmpty() ? "HTTP " + answer.status() : answer.text("error") + ", " + why));
    }
  }

  private static ObjectNode json() {
    return JsonNodeFactory.instance.objectNode();
  }

  private void step(String what) {
    steps++;
    calls.say((steps == 1 ? "" : "\n") + steps + ". " + what);
  }

  private CommandSpec spec() {
    return Objects.requireNonNull(spec);
  }
}
