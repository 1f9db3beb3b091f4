package fairgate.gate.signal;

import fairgate.gate.challenge.GateFixture;
import fairgate.gate.risk.FeatureSchema;
import fairgate.gate.risk.FeatureSource;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskRoute;
import fairgate.kernel.AddressBlock;
import fairgate.kernel.Audit;
import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Guard;
import fairgate.platform.http.HttpConfig;
import fairgate.platform.http.HttpDependencies;
import fairgate.platform.http.HttpServer;
import fairgate.platform.http.Method;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.stream.Forwarding.Proxies;
import fairgate.platform.observe.Metrics;
import io.vertx.core.Future;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// A server whose routes ask one source for the features of the request.
final class SignalServer implements AutoCloseable {
  static final String CHROME =
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)"
          + " Chrome/142.0.0.0 Safari/537.36";

  final GateFixture gate = new GateFixture();
  final Metrics metrics = new Metrics();
  private final AtomicReference<@Nullable Features> features = new AtomicReference<>();
  private final HttpClient client = HttpClient.newHttpClient();
  private final int port;

  /// @param trusted whether the client is a trusted proxy; otherwise there are none
  SignalServer(FeatureSource source, boolean trusted) {
    this(source, trusted, null, (_, _) -> {});
  }

  /// @param proxy the only trusted proxy
  SignalServer(FeatureSource source, String proxy) {
    this(source, proxy, null, (_, _) -> {});
  }

  SignalServer(
      FeatureSource source,
      boolean trusted,
      @Nullable Guard guard,
      BiConsumer<Request, ErrorCode> refusals) {
    this(source, trusted ? "127.0.0.1" : "", guard, refusals);
  }

  private SignalServer(
      FeatureSource source,
      String proxy,
      @Nullable Guard guard,
      BiConsumer<Request, ErrorCode> refusals) {
    List<Route> routes =
        List.of(
            Route.post(DeviceKeys.JOIN, r -> ask(source, RiskRoute.JOIN, r)),
            Route.post(DeviceKeys.PURCHASE, r -> ask(source, RiskRoute.PURCHASE, r)),
            Route.post("/p/{id}/join", _ -> Future.succeededFuture(Reply.text(200, "in")))
                .doing(Method.POST, DeviceKeys.JOIN),
            Route.post("/p/{id}/buy", _ -> Future.succeededFuture(Reply.text(200, "in")))
                .doing(Method.POST, DeviceKeys.PURCHASE),
            Route.post(
                "/refuse",
                r ->
                    Future.succeededFuture(
                        Reply.refuse(
                            Refusal.of(ErrorCode.valueOf(String.valueOf(r.query("code"))))))));
    port =
        HttpServer.start(
                gate.vertx,
                HttpConfig.defaults()
                    .withAddress("127.0.0.1", 0)
                    .withProxies(
                        new Proxies(
                            proxy.isEmpty()
                                ? List.of()
                                : List.of(Objects.requireNonNull(AddressBlock.parse(proxy))),
                            Proxies.Header.X_FORWARDED_FOR,
                            false)),
                routes,
                new HttpDependencies(
                    gate.ids, gate.keys, metrics, guard, Audit.none(), refusals, null, null))
            .port();
  }

  private Future<Reply> ask(FeatureSource source, RiskRoute route, Request request) {
    Features.Builder builder = Features.builder();
    return source
        .contribute(Judge.request(route, "7", request, request.caller()), builder)
        .map(
            _ -> {
              features.set(builder.build());
              return Reply.text(200, "in");
            });
  }

  /// The reply to a call.
  ///
  /// @param headers name, value, name, value, ...
  HttpResponse<String> send(String path, String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .header("Content-Type", "application/json");
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /// The features of a join that must be answered with 200.
  Features join(String... headers) {
    return features(DeviceKeys.JOIN, "{\"product_id\": \"7\"}", headers);
  }

  Features features(String path, String body, String... headers) {
    features.set(null);
    HttpResponse<String> reply = send(path, body, headers);
    if (reply.statusCode() != 200) {
      throw new AssertionError(reply.body());
    }
    return Objects.requireNonNull(features.get());
  }

  /// A value by the name of its feature.
  static Object value(Features features, String name) {
    return features.value(FeatureSchema.latest().feature(name));
  }

  /// The names of the features that are not defaults.
  static List<String> set(Features features) {
    List<String> names = new ArrayList<>();
    for (var feature : features.schema().features()) {
      Object value = features.value(feature);
      if (!value.equals(0L) && !value.equals(false) && !value.equals("")) {
        names.add(feature.name());
      }
    }
    return names;
  }

  @Override
  public void close() {
    client.close();
    gate.close();
  }
}
