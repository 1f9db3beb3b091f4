package fairgate.app;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.app.Server.Running;
import fairgate.app.command.StartFailed;
import fairgate.app.config.ConfigReader;
import fairgate.app.config.FairgateConfig;
import fairgate.platform.embedded.EmbeddedEngines;
import fairgate.platform.embedded.EngineOptions;
import fairgate.platform.run.BlockingWork;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Runs a short sale on a server with engines of its own, so that a Java with
/// `-XX:AOTCacheOutput=FILE` records the classes and the profiles of the hot methods for later
/// starts with `-XX:AOTCache=FILE`. Nothing of it remains but that file.
@Command(
    name = "aot-training",
    description = {
      "Runs a short sale, for java -XX:AOTCacheOutput=FILE.",
      "The sale has engines of its own. A server that is started with -XX:AOTCache=FILE is fast",
      "from its first second."
    })
final class AotTrainingCommand implements Callable<Integer> {
  private static final String SALE = "1";
  private static final int CALLERS = 16;
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(20);
  private static final ObjectMapper JSON = new ObjectMapper();

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--seconds",
      paramLabel = "SECONDS",
      description = "How long buyers come; default: 20.")
  private int seconds = 20;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description = "For the data of its engines, which is deleted; default: a temporary one.")
  private @Nullable Path folder;

  private final AtomicInteger sent = new AtomicInteger();
  private final AtomicInteger bought = new AtomicInteger();
  private final AtomicInteger failed = new AtomicInteger();

  @Override
  public Integer call() throws Exception {
    Path data = folder == null ? Files.createTempDirectory("fairgate-training") : folder;
    try {
      // An earlier training may have been killed.
      EmbeddedEngines.deleteData(data);
      Files.createDirectories(data);
      Logs.forPeople(data);
      FairgateConfig config = config();
      try (EmbeddedEngines engines = EmbeddedEngines.start(data, EngineOptions.disposable());
          Running running =
              Wiring.start(config, EngineAddresses.embedded(engines, config), Replaceable.real())) {
        train("http://127.0.0.1:" + running.port(), config.keys().operatorToken().expose());
      }
    } finally {
      EmbeddedEngines.deleteData(data);
    }
    if (bought.get() == 0 || failed.get() > sent.get() / 100) {
      throw new StartFailed(
          "The training failed: %d of %d calls failed, %d purchases"
              .formatted(failed.get(), sent.get(), bought.get()));
    }
    Objects.requireNonNull(spec)
        .commandLine()
        .getOut()
        .println(
            "Trained with %d calls, %d purchases; Java writes the cache now."
                .formatted(sent.get(), bought.get()));
    return 0;
  }

  private static FairgateConfig config() {
    String secret = "training:" + "00112233445566778899aabbccddeeff".repeat(2);
    return FairgateConfig.of(
        ConfigReader.read(
            Optional.empty(),
            Map.of(),
            Map.of(
                "server.port", "0",
                "server.trusted_proxies", "127.0.0.1",
                "challenge.provider", "test",
                "demo", "off",
                "operator_token", "of-the-training",
                "master_secret", secret)));
  }

  private void train(String base, String token) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      for (String call : new String[] {"", "/" + SALE + "/open"}) {
        HttpRequest request =
            HttpRequest.newBuilder(URI.create(base + "/api/admin/products" + call))
                .header("Authorization", "Bearer " + token)
                .POST(HttpRequest.BodyPublishers.ofString(call.isEmpty() ? product() : ""))
                .build();
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() >= 300) {
          throw new StartFailed("the training sale cannot be opened: " + answer.body());
        }
      }
      long end = System.nanoTime() + Duration.ofSeconds(seconds).toNanos();
      BlockingWork.forEach(
          "training",
          IntStream.range(0, CALLERS).boxed().toList(),
          _ -> {
            while (System.nanoTime() < end) {
              visit(client, base);
            }
          });
    }
  }

  private static String product() {
    return """
        {"id": "%s", "name": "Training", "price": 100, "total_stock": 1000000,
         "policy": {"preset": "queue", "active_capacity": 1000, "ready_slots": 1000,
                    "payment": "none", "purchase_token": "off"}}
        """
        .formatted(SALE);
  }

  /// A buyer from an address of its own: looks, joins, waits, buys, and sees the order.
  private void visit(HttpClient client, String base) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    String address =
        "10.%d.%d.%d".formatted(random.nextInt(256), random.nextInt(256), random.nextInt(256));
    Caller caller = new Caller(client, base, address);
    String _ = caller.get("/p/" + SALE, "");
    String _ = caller.get("/api/products/" + SALE, "");
    String session =
        field(
            caller.post(
                "/api/queue/join",
                "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}"
                    .formatted(SALE),
                ""),
            "session_id");
    String status = "waiting";
    for (int i = 0; i < 20 && !status.equals("ready_to_purchase"); i++) {
      status = field(caller.get("/api/queue/status", session), "queue_status");
    }
    String order =
        field(
            caller.post(
                "/api/purchase", "{\"product_id\":\"%s\",\"quantity\":1}".formatted(SALE), session),
            "order_id");
    if (!order.isEmpty()) {
      int _ = bought.incrementAndGet();
      String _ = caller.get("/api/orders/" + order, session);
    }
  }

  private static String field(String body, String name) {
    try {
      JsonNode value = JSON.readTree(body).path(name);
      return value.asText("");
    } catch (IOException _) {
      return "";
    }
  }

  private final class Caller {
    private final HttpClient client;
    private final String base;
    private final String address;

    Caller(HttpClient client, String base, String address) {
      this.client = client;
      this.base = base;
      this.address = address;
    }

    String get(String path, String session) {
      return send(request(path, session).GET().build());
    }

    String post(String path, String body, String session) {
      return send(
          request(path, session)
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString(body))
              .build());
    }

    private HttpRequest.Builder request(String path, String session) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(base + path))
              .timeout(CALL_TIMEOUT)
              .header("X-Forwarded-For", address)
              .header("Accept-Language", "zh-TW,zh;q=0.9,en;q=0.8");
      return session.isEmpty() ? request : request.header("X-Session-Id", session);
    }

    private String send(HttpRequest request) {
      int _ = sent.incrementAndGet();
      try {
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() >= 500) {
          int _ = failed.incrementAndGet();
        }
        return answer.body();
      } catch (IOException _) {
        int _ = failed.incrementAndGet();
        return "";
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return "";
      }
    }
  }
}
