package fairgate.gate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.challenge.GateFixture;
import fairgate.gate.limit.LimitFeature.Callers;
import fairgate.gate.limit.LimitGuard.ConcurrencyLimit;
import fairgate.gate.limit.LimitRule.Dimension;
import fairgate.gate.limit.LimitRule.OnFailure;
import fairgate.gate.limit.LimitRule.Semantics;
import fairgate.kernel.AddressBlock;
import fairgate.kernel.Audit;
import fairgate.kernel.AuditEvent;
import fairgate.kernel.ErrorCode;
import fairgate.platform.http.HttpConfig;
import fairgate.platform.http.HttpDependencies;
import fairgate.platform.http.HttpServer;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.RouteLimits;
import fairgate.platform.http.stream.Forwarding.Proxies;
import fairgate.platform.observe.Metrics;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Who counts as whom: guests by address, signed-in callers by account, and the allow-list by
/// neither.
@Tag("slow")
class LimitGuardTest {
  private static final int IP = 3;
  private static final int NETWORK = 8;
  private static final int OPERATOR = 12;
  private static final int CONCURRENT = 2;
  private static final String READ = "/api/products";
  private static final String HELD = "/api/orders/1";
  private static final String ADMIN = "/api/admin/products";
  private static final String LOGIN = "/api/v1/login";
  private static final String APPEAL = "/appeal/x";

  /// Every test calls from a network of its own, because the counts in Redis stay for an hour.
  private static final AtomicInteger NETWORKS = new AtomicInteger();

  private final GateFixture gate = new GateFixture();
  private final HttpClient http = HttpClient.newHttpClient();
  private final String network = "10.77." + NETWORKS.incrementAndGet() + '.';
  private final String address = network + '1';
  private final String ann = "acc_" + UUID.randomUUID();
  private final String ben = "acc_" + UUID.randomUUID();
  private final FakeCallers callers = new FakeCallers();
  private final SampledRefusals audit = new SampledRefusals();
  private final Map<String, Promise<Reply>> held = new ConcurrentHashMap<>();
  private volatile boolean lookupFirst;
  private volatile Runnable afterInspection = () -> {};
  private final LimitNode node =
      LimitNode.still(
          rule("ip", Dimension.CLIENT, IP),
          rule("login", Dimension.IP, 1),
          rule("appeal", Dimension.IP, IP),
          rule("network", Dimension.NETWORK, NETWORK),
          rule("asn", Dimension.ASN, OPERATOR));
  private final HttpServer server = serve();

  private static LimitRule rule(String name, Dimension dimension, int max) {
    return new LimitRule(name, dimension, Semantics.WINDOW, max, 3_600, max, OnFailure.CLOSED);
  }

  /// The refusals that limits have counted, and the others.
  private static final class SampledRefusals implements Audit {
    final List<String> limited = new CopyOnWriteArrayList<>();
    final List<String> unlimited = new CopyOnWriteArrayList<>();

    @Override
    public void note(AuditEvent event) {}

    @Override
    public int weight(AuditEvent.Kind kind, String what) {
      limited.add(what);
      return 1;
    }

    @Override
    public int weightOfUnlimited(String refusal) {
      unlimited.add(refusal);
      return 1;
    }
  }

  /// Sessions by the header `x-test-token`: of an account, lost, or not yet looked up.
  private static final class FakeCallers implements Callers {
    final Map<String, Future<Optional<String>>> sessions = new ConcurrentHashMap<>();
    volatile boolean allow;

    void open(String account) {
      sessions.put(account, Future.succeededFuture(Optional.of(account)));
    }

    @Override
    public boolean isAllowed(Request request) {
      return allow;
    }

    @Override
    public boolean hasOperatorToken(Request request) {
      return request.header("x-test-operator-token") != null;
    }

    @Override
    public Future<Optional<String>> account(Request request) {
      String token = request.header("x-test-token");
      return token == null ? GUEST : sessions.getOrDefault(token, GUEST);
    }
  }

  private static Optional<String> ticket(Request request) {
    return Optional.ofNullable(request.header("x-test-ticket"));
  }

  /// Looks whether the lookup of an account was awaited before.
  private LimitFacts inspect(Request request, LimitFacts facts) {
    lookupFirst = request.header("x-test-token") != null && callers.account(request).isComplete();
    gate.vertx.runOnContext(_ -> afterInspection.run());
    String operator = request.header("x-test-operator");
    return operator == null ? facts : facts.withAsn(operator);
  }

  private HttpServer serve() {
    LimitGuard guard =
        new LimitGuard(
            node.limiter,
            new LimitReplies(_ -> 0),
            new LimitGuard.Slots(
                new ConcurrencyLimit(CONCURRENT), new ConcurrencyLimit(CONCURRENT)),
            List.of(this::inspect),
            callers,
            Duration.ofMillis(100));
    AddressBlock proxy = Objects.requireNonNull(AddressBlock.parse("127.0.0.1"));
    return HttpServer.start(
        gate.vertx,
        HttpConfig.defaults()
            .withAddress("127.0.0.1", 0)
            .withProxies(new Proxies(List.of(proxy), Proxies.Header.X_FORWARDED_FOR, false)),
        patient(
            Route.get(READ, LimitGuardTest::list).limits(RouteLimits.READ),
            Route.get("/api/orders/{order_id}", this::hold).limits(RouteLimits.READ),
            Route.get(ADMIN, this::hold).limits(RouteLimits.ADMIN),
            Route.post("/q/{room}/enter", this::hold)
                .limits(RouteLimits.ACT.ticketed(LimitGuardTest::ticket)),
            Route.post("/q/{room}/join", _ -> Future.succeededFuture(Reply.text(200, "joined")))
                .limits(RouteLimits.ACT.and("join")),
            Route.post(
                    "/appeal/{decision_id}", _ -> Future.succeededFuture(Reply.text(200, "filed")))
                .withBodyBeforeLimits()
                .limits(RouteLimits.PAGE.and("appeal")),
            Route.post(LOGIN, _ -> Future.succeededFuture(Reply.text(200, "in")))
                .limits(RouteLimits.LOGIN)),
        new HttpDependencies(
            gate.ids, gate.keys, new Metrics(), guard, audit, (_, _) -> {}, null, null));
  }

  /// These routes with time for a machine that stands still for seconds.
  private static List<Route> patient(Route... routes) {
    return Stream.of(routes).map(route -> route.withDeadline(Duration.ofMinutes(1))).toList();
  }

  private static Future<Reply> list(Request request) {
    return Future.succeededFuture(
        request.header("x-test-refused") == null
            ? Reply.text(200, "read")
            : Reply.refuse(Refusal.of(ErrorCode.SALE_CLOSED)));
  }

  private Future<Reply> hold(Request request) {
    Promise<Reply> reply = Promise.promise();
    held.put(Objects.requireNonNullElse(request.header("x-test-call"), ""), reply);
    return reply.future();
  }

  @AfterEach
  void close() {
    // Both ends wait for requests that are still running.
    held.keySet().forEach(this::finish);
    http.close();
    gate.close();
  }

  private CompletableFuture<HttpResponse<String>> send(
      String method, String path, String from, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .header("x-forwarded-for", from);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return http.sendAsync(request.build(), BodyHandlers.ofString());
  }

  private int guest() {
    return read(address);
  }

  private int as(String token) {
    return read(address, "x-test-token", token);
  }

  private int read(String from, String... headers) {
    return send("GET", READ, from, headers).join().statusCode();
  }

  private int login(String... headers) {
    return send("POST", LOGIN, address, headers).join().statusCode();
  }

  /// The guests use up the limit of the address.
  private void guestsUseUp() {
    for (int i = 0; i < IP; i++) {
      assertThat(guest()).isEqualTo(200);
    }
    assertThat(guest()).isEqualTo(429);
  }

  @Test
  void theAuditLogSamplesRefusalsThatNoLimitHasCountedByThemselves() {
    for (int i = 0; i < IP; i++) {
      assertThat(read(address, "x-test-refused", "yes")).isEqualTo(409);
    }
    assertThat(audit.limited).containsExactly("SALE_CLOSED", "SALE_CLOSED", "SALE_CLOSED");
    assertThat(audit.unlimited).isEmpty();
    assertThat(read(address, "x-test-refused", "yes")).isEqualTo(429);
    assertThat(read(address, "x-test-refused", "yes")).as("from memory").isEqualTo(429);
    assertThat(send("GET", "/unknown", address).join().statusCode()).isEqualTo(404);
    assertThat(send("DELETE", READ, address).join().statusCode()).isEqualTo(405);
    assertThat(audit.limited).hasSize(IP);
    assertThat(audit.unlimited)
        .containsExactly(
            "RATE_LIMIT_EXCEEDED", "RATE_LIMIT_EXCEEDED", "NOT_FOUND", "METHOD_NOT_ALLOWED");
  }

  @Test
  void aSignedInCallerIsNotRefusedForWhatOthersAtItsAddressUsedUp() {
    guestsUseUp();
    callers.open(ann);
    callers.open(ben);
    for (int i = 0; i < IP; i++) {
      assertThat(as(ann)).isEqualTo(200);
    }
    assertThat(as(ann)).as("its own limit").isEqualTo(429);
    assertThat(as(ann)).as("its own limit, from memory").isEqualTo(429);
    assertThat(as(ben)).as("somebody else").isEqualTo(200);
  }

  @Test
  void anAccountHasOneLimitAtAllAddresses() {
    callers.open(ann);
    for (int i = 0; i < IP; i++) {
      assertThat(read("203.0.113." + i, "x-test-token", ann)).isEqualTo(200);
    }
    assertThat(as(ann)).isEqualTo(429);
  }

  @Test
  void madeUpSessionsCountByAddress() {
    for (int i = 0; i < IP; i++) {
      assertThat(as("made-up-" + i)).isEqualTo(200);
    }
    assertThat(as("made-up-more")).isEqualTo(429);
    long scripts = node.redisCalls();
    for (int i = 0; i < 20; i++) {
      assertThat(as("made-up-again-" + i)).isEqualTo(429);
    }
    assertThat(node.redisCalls()).as("refused from memory").isEqualTo(scripts);
    assertThat(guest()).as("no limit of their own").isEqualTo(429);
  }

  @Test
  void whoHasSignedOutCountsByAddressAgain() {
    guestsUseUp();
    callers.open(ann);
    assertThat(as(ann)).isEqualTo(200);
    callers.sessions.remove(ann);
    assertThat(as(ann)).isEqualTo(429);
  }

  @Test
  void aSessionThatCannotBeCheckedCountsByAddress() {
    callers.sessions.put(ann, Future.failedFuture("redis is away"));
    assertThat(as(ann)).isEqualTo(200);
    Promise<Optional<String>> never = Promise.promise();
    callers.sessions.put(ben, never.future());
    assertThat(as(ben)).as("after the time for a lookup").isEqualTo(200);
    assertThat(guest()).isEqualTo(200);
    assertThat(guest()).isEqualTo(429);
    assertThat(as(ann)).isEqualTo(429);
    assertThat(as(ben)).isEqualTo(429);
  }

  @Test
  void aLookupUnderWayIsAwaitedAfterTheInspectorsOnly() {
    guestsUseUp();
    Promise<Optional<String>> lookup = Promise.promise();
    callers.sessions.put(ann, lookup.future());
    lookupFirst = true;
    afterInspection = () -> lookup.complete(Optional.of(ann));
    assertThat(as(ann)).isEqualTo(200);
    assertThat(lookupFirst).isFalse();
  }

  @Test
  void manyAccountsOfOneNetworkStillShareItsLimit() {
    for (int i = 0; i < NETWORK; i++) {
      callers.open(ann + i);
      assertThat(read(network + i, "x-test-token", ann + i)).isEqualTo(200);
    }
    callers.open(ben);
    assertThat(as(ben)).isEqualTo(429);
  }

  @Test
  void loginsOfSignedInCallersCountByAddress() {
    callers.open(ann);
    callers.open(ben);
    assertThat(login("x-test-token", ann)).isEqualTo(200);
    assertThat(login("x-test-token", ben)).isEqualTo(429);
  }

  @Test
  void theAllowListCountsByNoAddressWithOrWithoutASession() {
    guestsUseUp();
    callers.open(ann);
    callers.allow = true;
    for (int i = 0; i < 2 * NETWORK; i++) {
      assertThat(guest()).isEqualTo(200);
      assertThat(as(ann)).isEqualTo(200);
      assertThat(login()).isEqualTo(200);
    }
    callers.allow = false;
    assertThat(guest()).isEqualTo(429);
    assertThat(as(ann)).as("its calls from there did not count").isEqualTo(200);
  }

  private int room(String path, String... headers) {
    CompletableFuture<HttpResponse<String>> answer = send("POST", path, address, headers);
    fairgate.testkit.Eventually.await(() -> answer.isDone() || held.containsKey(""));
    if (held.containsKey("")) {
      finish("");
    }
    return answer.join().statusCode();
  }

  @Test
  void ticketsDoNotCountByNetworkAndAreNotRefusedForIt() {
    String enter = "/q/tour/enter";
    for (int i = 0; i < 2 * NETWORK; i++) {
      assertThat(room(enter, "x-test-ticket", ann + i)).as("ticket " + i).isEqualTo(200);
    }
    for (int i = 0; i < NETWORK; i++) {
      assertThat(read(network + i)).as("a neighbour without a ticket").isEqualTo(200);
    }
    assertThat(read(network + NETWORK)).isEqualTo(429);
    assertThat(room("/q/tour/join", "x-test-ticket", ann))
        .as("taking a ticket counts by network")
        .isEqualTo(429);
    assertThat(room(enter, "x-test-ticket", ben)).isEqualTo(200);
  }

  @Test
  void ticketsDoNotCountByNetworkOperatorAndAreNotRefusedForIt() {
    String enter = "/q/tour/enter";
    for (int i = 0; i < 2 * OPERATOR; i++) {
      assertThat(room(enter, "x-test-ticket", ann + i, "x-test-operator", network))
          .as("ticket " + i)
          .isEqualTo(200);
    }
    for (int i = 0; i < OPERATOR; i++) {
      assertThat(read("203.0." + i + ".1", "x-test-operator", network))
          .as("a guest of the operator")
          .isEqualTo(200);
    }
    assertThat(read("203.0." + OPERATOR + ".1", "x-test-operator", network)).isEqualTo(429);
    assertThat(room(enter, "x-test-ticket", ben, "x-test-operator", network)).isEqualTo(200);
  }

  @Test
  void aTicketIsNotRefusedForWhatOthersAtItsAddressUsedUp() {
    String enter = "/q/tour/enter";
    for (int i = 0; i < IP; i++) {
      assertThat(room(enter)).isEqualTo(200);
    }
    assertThat(room(enter)).as("calls without a ticket").isEqualTo(429);
    for (int i = 0; i < IP; i++) {
      assertThat(room(enter, "x-test-ticket", ann)).isEqualTo(200);
    }
    assertThat(room(enter, "x-test-ticket", ann)).as("its own limit").isEqualTo(429);
    assertThat(room(enter, "x-test-ticket", ben)).as("somebody else").isEqualTo(200);
    assertThat(room("/q/tour/join", "x-test-ticket", ben))
        .as("a call that needs no ticket counts by address")
        .isEqualTo(429);
  }

  @Test
  void runningRequestsWithATicketCountByIt() {
    var _ = start("g1");
    var _ = start("g2");
    assertThat(start("g3").join().statusCode()).as("guests").isEqualTo(429);
    assertThat(room("/q/tour/enter", "x-test-ticket", ann)).isEqualTo(200);
  }

  private CompletableFuture<HttpResponse<String>> start(String call, String... more) {
    String[] headers = new String[more.length + 2];
    System.arraycopy(more, 0, headers, 0, more.length);
    headers[more.length] = "x-test-call";
    headers[more.length + 1] = call;
    return startAt(HELD, call, headers);
  }

  private CompletableFuture<HttpResponse<String>> startAt(
      String path, String call, String... headers) {
    CompletableFuture<HttpResponse<String>> answer = send("GET", path, address, headers);
    fairgate.testkit.Eventually.await(() -> answer.isDone() || held.containsKey(call));
    return answer;
  }

  /// Sends the head of a form and a part of its body.
  private Socket unfinishedForm() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    write(
        socket,
        "POST %s HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: %s\r\nContent-Length: 9\r\n\r\ntext="
            .formatted(APPEAL, address));
    return socket;
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static boolean isAnswered(Socket socket) {
    try {
      return socket.getInputStream().available() > 0;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String status(Socket socket) throws IOException {
    fairgate.testkit.Eventually.await(() -> isAnswered(socket));
    return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
  }

  @Test
  void unfinishedFormsCountAsRunning() throws IOException {
    List<Socket> forms = new ArrayList<>();
    for (int i = 0; i <= CONCURRENT; i++) {
      forms.add(unfinishedForm());
    }
    fairgate.testkit.Eventually.await(
        "one is refused at its head", () -> forms.stream().anyMatch(LimitGuardTest::isAnswered));
    Socket refused = forms.stream().filter(LimitGuardTest::isAnswered).findFirst().orElseThrow();
    assertThat(status(refused)).isEqualTo("HTTP/1.1 429");
    refused.close();
    forms.remove(refused);
    for (Socket form : forms) {
      write(form, "1234");
      assertThat(status(form)).isEqualTo("HTTP/1.1 200");
      form.close();
    }
    assertThat(send("POST", APPEAL, address).join().statusCode()).isEqualTo(200);
  }

  @Test
  void formsAreRefusedFromMemoryToo() {
    for (int i = 0; i < IP; i++) {
      assertThat(send("POST", APPEAL, address).join().statusCode()).isEqualTo(200);
    }
    assertThat(send("POST", APPEAL, address).join().statusCode()).isEqualTo(429);
    long scripts = node.redisCalls();
    for (int i = 0; i < 20; i++) {
      assertThat(send("POST", APPEAL, address).join().statusCode()).isEqualTo(429);
    }
    assertThat(node.redisCalls()).isEqualTo(scripts);
  }

  private void finish(String call) {
    Objects.requireNonNull(held.remove(call)).complete(Reply.text(200, "done"));
  }

  @Test
  void runningRequestsOfASignedInCallerCountByAccount() {
    callers.open(ann);
    var _ = start("g1");
    var _ = start("g2");
    assertThat(start("g3").join().statusCode()).as("guests").isEqualTo(429);
    var first = start("a1", "x-test-token", ann);
    var second = start("a2", "x-test-token", ann);
    assertThat(start("a3", "x-test-token", ann).join().statusCode()).as("hers").isEqualTo(429);
    callers.sessions.remove(ann);
    finish("a1");
    finish("a2");
    assertThat(first.join().statusCode()).isEqualTo(200);
    assertThat(second.join().statusCode()).isEqualTo(200);
    callers.open(ann);
    assertThat(start("g4").join().statusCode()).as("guests still have theirs").isEqualTo(429);
    var third = start("a4", "x-test-token", ann);
    assertThat(third).isNotDone();
  }

  @Test
  void runningCallsOfTheAdminApiWithTheOperatorTokenAreNotCounted() {
    String[] operator = {"x-test-operator-token", "valid", "x-test-call", ""};
    for (int i = 0; i < 3 * CONCURRENT; i++) {
      operator[3] = "o" + i;
      assertThat(startAt(ADMIN, operator[3], operator)).isNotDone();
    }
    var _ = start("g1");
    var _ = start("g2", "x-test-operator-token", "valid");
    assertThat(start("g3", "x-test-operator-token", "valid").join().statusCode())
        .as("another route")
        .isEqualTo(429);
    for (int i = 0; i < 3 * CONCURRENT; i++) {
      finish("o" + i);
    }
    assertThat(start("g4").join().statusCode()).as("nothing was given back").isEqualTo(429);
  }

  @Test
  void runningRequestsOfTheAllowListAreNotCounted() {
    callers.allow = true;
    for (int i = 0; i < 3 * CONCURRENT; i++) {
      assertThat(start("w" + i)).isNotDone();
    }
    callers.allow = false;
    for (int i = 0; i < 3 * CONCURRENT; i++) {
      finish("w" + i);
    }
    var _ = start("g1");
    var _ = start("g2");
    assertThat(start("g3").join().statusCode()).isEqualTo(429);
  }
}
