package fairgate.gate.limit;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The limits of each action. The form of a page has the same row as the API route that it stands
/// for. `docs/operate/limits.md` is generated from this table; a test compares it with the routes
/// of a running server.
final class LimitTable {
  /// The concurrency limit of a route.
  enum Concurrency {
    /// Not counted.
    NONE,
    /// A request, until it is answered.
    REQUESTS,
    /// An open stream of events.
    STREAMS
  }

  /// One route.
  ///
  /// @param route method and path pattern, of the API's route where there is one
  /// @param limits by name; none for a route that is never refused
  record Row(String route, List<String> limits, Concurrency concurrency) {
    /// Whether a signed-in caller of the route counts by its account and not by its address.
    boolean countsAccounts() {
      return limits.contains("ip") || limits.contains("page");
    }

    /// Whether the route is one of the admin API.
    boolean isForOperators() {
      return limits.contains("admin");
    }

    /// Whether a caller with a ticket of a waiting room counts by it, and not by its address and
    /// network: what others there send must not keep it out.
    boolean countsTickets() {
      return WITH_TICKET.contains(route);
    }
  }

  private static final Set<String> WITH_TICKET =
      Set.of(
          "POST /q/{room}/here",
          "POST /q/{room}/leave",
          "POST /q/{room}/enter",
          "GET /q/{room}/pass");

  private static final List<String> READ = List.of("global", "route", "network", "asn", "ip");
  private static final List<String> PAGE = List.of("global", "route", "network", "asn", "page");
  private static final List<String> FILES = List.of("global", "route");
  private static final List<String> RECORD = List.of("global", "route", "network");
  private static final List<String> ACT = with(READ, "user", "device", "session");

  /// A waiting room is not among these: its page may come from a cache, without a cookie.
  private static final List<String> JOIN = with(ACT, "join", "join_new");

  /// The limits of redirects: by the minute only, with a burst of ten.
  private static final List<String> MAKE =
      List.of("global", "route", "network", "asn", "user", "device", "create");

  /// Fallback for a route without a row; a test finds such routes.
  private static final List<String> STRANGER = ACT;

  static final List<Row> ROWS =
      List.of(
          free("GET /health/live"),
          free("GET /health/ready"),
          free("GET /health/sale"),
          free("GET /assets/{version}/{name}"),
          free("GET /assets/{name}"),
          new Row("GET /metrics", PAGE, Concurrency.NONE),
          row("GET /openapi.yaml", PAGE),
          row("GET /docs", PAGE),
          row("GET /", PAGE),
          row("GET /p/{id}", PAGE),
          row("GET /p/{id}/appeals", PAGE),
          row("GET /appeal/{decision_id}", PAGE),
          row("POST /appeal/{decision_id}", with(PAGE, "appeal")),
          row("POST /appeal/{decision_id}/receipt", PAGE),
          row("GET /pay/{id}", PAGE),
          row("GET /pay/{id}/return", PAGE),
          row("GET /api/challenge/config", READ),
          row("GET /api/challenge", READ),
          row("POST /api/challenge/pass", ACT),
          row("POST /api/challenge/passkey/options", with(ACT, "login")),
          row("POST /api/challenge/passkey", with(ACT, "login")),
          row("GET /p/{id}/step", PAGE),
          row("POST /p/{id}/step/code", ACT),
          row("POST /p/{id}/step/confirm", ACT),
          row("GET /api/products", READ),
          row("GET /api/products/{id}", READ),
          row("GET /api/products/{id}/appeals", READ),
          row("GET /api/orders/{order_id}", READ),
          row("POST /api/orders/{order_id}/pay", ACT),
          row("POST /api/orders/{order_id}/cancel", ACT),
          row("GET /api/orders/{order_id}/details", READ),
          row("PUT /api/orders/{order_id}/details", ACT),
          row("POST /api/deposits", ACT),
          row("GET /api/deposits/{deposit_id}", READ),
          row("GET /p/{id}/deposit", PAGE),
          row("POST /api/queue/join", JOIN),
          row("GET /api/queue/status", with(READ, "session")),
          new Row("GET /api/queue/stream", with(READ, "session"), Concurrency.STREAMS),
          row("POST /api/queue/leave", ACT),
          row("POST /api/purchase", with(ACT, "purchase")),
          new Row("POST /api/payments/webhook", List.of("global", "webhook"), Concurrency.NONE),
          // A whole venue may scan one poster, so its network is not counted.
          new Row("GET /{code}", List.of("global", "route", "redirect"), Concurrency.NONE),
          row("GET /claim", PAGE),
          // Redeem counts claims itself: it gives back claims that an outage left undecided.
          row("POST /api/redeem/claim", ACT),
          row("POST /api/redeem/activate", ACT),
          row("POST /api/redeem/check", ACT),
          row("GET /account", PAGE),
          row("GET /orders", PAGE),
          row("GET /o/{id}", PAGE),
          row("POST /o/{id}/receipt", ACT),
          row("POST /o/{id}/end-links", ACT),
          row("GET /r/{link}", PAGE),
          row("GET /r/{link}/tickets", PAGE),
          row("GET /p/{id}/waiting-list", PAGE),
          row("POST /p/{id}/waiting-list", JOIN),
          row("POST /p/{id}/waiting-list/leave", ACT),
          row("GET /o/{id}/details", PAGE),
          row("GET /o/{id}/tickets", PAGE),
          row("POST /o/{id}/tickets/{place}", ACT),
          row("GET /t/{link}", PAGE),
          row("POST /t/{link}", ACT),
          row("GET /api/products/{id}/ticket-keys", READ),
          admin("GET /api/admin/products/{id}/waiting-list"),
          admin("GET /api/admin/orders/{order_id}/tickets"),
          admin("GET /api/admin/products/{id}/tickets"),
          admin("POST /api/admin/products/{id}/check-ins"),
          row("GET /console/check-in", PAGE),
          row("GET /console/check-in/{id}", PAGE),
          row("GET /console/check-in/worker.js", PAGE),
          row("GET /account/register", PAGE),
          row("GET /account/reset", PAGE),
          row("GET /account/sign-in", PAGE),
          row("GET /account/verify", PAGE),
          row("POST /account/sign-in/unlink", ACT),
          row("GET /account/oidc/{provider}", PAGE),
          row("GET /account/oidc/{provider}/callback", PAGE),
          row("GET /api/v1/passkeys", READ),
          row("POST /api/v1/passkeys", ACT),
          row("POST /api/v1/passkeys/options", ACT),
          row("DELETE /api/v1/passkeys/{id}", ACT),
          row("POST /api/v1/passkeys/login/options", with(ACT, "login")),
          row("POST /api/v1/passkeys/login", with(ACT, "login")),
          row("POST /api/v1/login", with(ACT, "login")),
          row("POST /api/v1/register", with(ACT, "register")),
          row("POST /api/v1/password", with(ACT, "login")),
          row("POST /api/v1/password/reset", with(ACT, "login")),
          row("POST /api/v1/password/code", with(ACT, "login")),
          row("POST /api/v1/password/code/confirm", with(ACT, "login")),
          row("POST /api/v1/me/delete", with(ACT, "login")),
          row("POST /api/v1/logout", ACT),
          row("GET /api/v1/me", READ),
          row("GET /api/v1/sessions", READ),
          row("DELETE /api/v1/sessions", ACT),
          row("DELETE /api/v1/sessions/{id}", ACT),
          row("GET /api/v1/identity", READ),
          row("DELETE /api/v1/identity/{kind}", ACT),
          row("DELETE /api/v1/identity/number/{product_id}", ACT),
          row("POST /api/v1/identity/number", ACT),
          row("POST /api/v1/identity/phone", ACT),
          row("POST /api/v1/identity/phone/confirm", ACT),
          row("POST /api/v1/identity/email", ACT),
          row("POST /api/v1/identity/email/confirm", ACT),
          admin("GET /api/admin/api-keys"),
          admin("POST /api/admin/pictures"),
          admin("GET /api/admin/products/{id}/invitations"),
          admin("POST /api/admin/products/{id}/invitations"),
          admin("DELETE /api/admin/products/{id}/invitations"),
          admin("POST /api/admin/products/{id}/invitation-links"),
          admin("GET /api/admin/audit"),
          admin("GET /api/admin/audit.csv"),
          admin("POST /api/admin/api-keys"),
          admin("DELETE /api/admin/api-keys/{id}"),
          admin("POST /api/admin/accounts/{username}/reset"),
          admin("DELETE /api/admin/accounts/{username}"),
          admin("GET /api/admin/bans"),
          admin("POST /api/admin/bans"),
          admin("DELETE /api/admin/bans/{id}"),
          admin("GET /api/admin/policies"),
          admin("POST /api/admin/policies"),
          admin("POST /api/admin/policies/rollback"),
          admin("GET /api/admin/policies/{version}"),
          admin("POST /api/admin/policies/{version}/backtest"),
          admin("POST /api/admin/policies/{version}/canary"),
          admin("DELETE /api/admin/policies/{version}/canary"),
          admin("POST /api/admin/policies/{version}/activate"),
          admin("GET /api/admin/appeals"),
          admin("GET /api/admin/appeals/{id}"),
          admin("POST /api/admin/appeals/{id}"),
          admin("GET /api/admin/orders/import"),
          admin("POST /api/admin/orders/import"),
          admin("GET /api/admin/orders/import/{id}"),
          admin("GET /api/admin/orders/import/{id}/errors.csv"),
          admin("POST /api/admin/orders/import/{id}/undo"),
          admin("GET /api/admin/orders/import-words"),
          admin("POST /api/admin/orders/import-words"),
          admin("GET /api/admin/redeem/bans"),
          admin("POST /api/admin/redeem/bans/{id}/lift"),
          admin("GET /api/admin/redeem/codes"),
          admin("POST /api/admin/redeem/codes/search"),
          admin("GET /api/admin/redeem/codes/{id}"),
          admin("POST /api/admin/redeem/codes/{id}/replace"),
          admin("POST /api/admin/redeem/codes/{id}/revoke"),
          admin("GET /api/admin/redeem/export"),
          admin("POST /api/admin/redeem/export"),
          admin("GET /api/admin/redeem/exports"),
          admin("GET /api/admin/redeem/failures"),
          admin("GET /api/admin/redeem/merchants"),
          admin("POST /api/admin/redeem/merchants"),
          admin("DELETE /api/admin/redeem/merchants/{id}"),
          admin("GET /api/admin/redeem/products"),
          admin("PUT /api/admin/redeem/products/{id}"),
          admin("GET /api/admin/redeem/stock"),
          admin("GET /api/admin/redeem/strength"),
          row("GET /console", PAGE),
          row("GET /console/{page*}", PAGE),
          row("GET /verify", PAGE),
          row("GET /draws", PAGE),
          row("GET /draws/{id}", PAGE),
          row("GET /draws/{id}/report", PAGE),
          row("GET /p/{id}/draw", PAGE),
          // A check reads a dozen files of a record at once.
          row("GET /draws/{id}/{file}", RECORD),
          // A page has several at once, which browsers keep.
          new Row("GET /pictures/{id}", RECORD, Concurrency.NONE),
          // A check of everyone reads thousands of tiles, most of them from memory.
          new Row("GET /log/{path*}", FILES, Concurrency.NONE),
          new Row("GET /draws/{id}/log/{path*}", FILES, Concurrency.NONE),
          row("GET /console/sign-in", PAGE),
          row("POST /console/sign-in", with(ACT, "login")),
          row("GET /console/oidc", PAGE),
          row("GET /console/oidc/link", PAGE),
          row("GET /console/oidc/callback", PAGE),
          row("POST /console/sign-out", ACT),
          row("GET /console/welcome/{token}", PAGE),
          row("POST /console/welcome/{token}", with(ACT, "login")),
          admin("GET /api/admin/settings"),
          admin("GET /api/admin/suspects"),
          admin("GET /api/admin/decisions"),
          admin("GET /api/admin/webhooks"),
          admin("POST /api/admin/webhooks/test"),
          admin("POST /api/admin/webhooks/{id}/resend"),
          admin("POST /api/admin/policies/validate"),
          admin("GET /api/admin/me"),
          admin("POST /api/admin/me/password"),
          admin("DELETE /api/admin/me/provider"),
          admin("GET /api/admin/sessions"),
          admin("DELETE /api/admin/sessions/{id}"),
          admin("GET /api/admin/tokens"),
          admin("POST /api/admin/tokens"),
          admin("DELETE /api/admin/tokens/{id}"),
          admin("GET /api/admin/operators"),
          admin("POST /api/admin/operators"),
          admin("GET /api/admin/operators/{id}"),
          admin("PATCH /api/admin/operators/{id}"),
          admin("DELETE /api/admin/operators/{id}"),
          admin("POST /api/admin/operators/{id}/link"),
          admin("DELETE /api/admin/operators/{id}/sessions"),
          row("GET /links", PAGE),
          row("POST /api/v1/shortlinks", MAKE),
          row("POST /api/v1/shortlinks/import", MAKE),
          row("GET /api/v1/shortlinks", READ),
          row("GET /api/v1/shortlinks/export", READ),
          row("GET /api/v1/shortlinks/{code}", READ),
          row("PATCH /api/v1/shortlinks/{code}", ACT),
          row("DELETE /api/v1/shortlinks/{code}", ACT),
          admin("POST /api/admin/links/{code}/ban"),
          admin("POST /api/admin/links/{code}/unban"),
          admin("GET /api/admin/links/hosts"),
          admin("POST /api/admin/links/hosts"),
          admin("DELETE /api/admin/links/hosts/{host}"),
          new Row("POST /line/webhook", List.of("global", "webhook"), Concurrency.NONE),
          row("GET /line/join/{token}", PAGE),
          admin("GET /api/admin/hot-clients"),
          admin("POST /api/admin/hot-clients/reveal"),
          // A proxy asks about every request of everybody; a valid pass is checked in memory.
          free("GET /gate/check"),
          free("POST /gate/check"),
          free("PUT /gate/check"),
          free("PATCH /gate/check"),
          free("DELETE /gate/check"),
          // One document for everybody, made once a second.
          free("GET /q/{room}/head"),
          free("GET /q/{room}/gone/{epoch}/{block}"),
          row("GET /q/{room}/draws", READ),
          free("GET /.well-known/fairgate/{room}/jwks.json"),
          row("GET /q/{room}", PAGE),
          row("GET /q/{room}/", PAGE),
          free("GET /q/{room}/wait/{block}"),
          free("GET /q/{room}/room.js"),
          row("POST /q/{room}/join", with(ACT, "join")),
          row("POST /q/{room}/here", READ),
          row("POST /q/{room}/leave", ACT),
          row("POST /q/{room}/enter", ACT),
          row("GET /q/{room}/pass", PAGE),
          row("POST /q/{room}/release", ACT),
          admin("GET /api/admin/rooms"),
          admin("POST /api/admin/rooms"),
          admin("GET /api/admin/rooms/{id}"),
          admin("PUT /api/admin/rooms/{id}"),
          admin("PATCH /api/admin/rooms/{id}"),
          admin("DELETE /api/admin/rooms/{id}"),
          admin("PUT /api/admin/rooms/{id}/mode"),
          admin("PUT /api/admin/rooms/{id}/stock"),
          admin("DELETE /api/admin/rooms/{id}/stock"),
          admin("POST /api/admin/rooms/{id}/revoke"),
          admin("POST /api/admin/rooms/{id}/return-urls"),
          admin("GET /api/admin/rooms/{id}/edge-keys"),
          row("GET /api/draws", READ),
          row("GET /api/draws/{id}", READ),
          row("POST /api/draws/{id}/entries", JOIN),
          row("GET /api/draws/{id}/entry", with(READ, "session")),
          row("DELETE /api/draws/{id}/entry", ACT),
          row("GET /api/draws/{id}/receipt", with(READ, "session")),
          row("POST /api/draws/{id}/beacon", ACT),
          row("POST /api/beacons/{chain}", ACT),
          admin("GET /api/admin/draws"),
          admin("POST /api/admin/draws"),
          admin("GET /api/admin/draws/{id}"),
          admin("POST /api/admin/draws/{id}/abort"),
          admin("POST /api/admin/draws/{id}/exclusions"),
          admin("GET /api/admin/products"),
          admin("POST /api/admin/products"),
          admin("GET /api/admin/products/{id}"),
          admin("PUT /api/admin/products/{id}"),
          admin("PATCH /api/admin/products/{id}"),
          admin("POST /api/admin/products/{id}/open"),
          admin("POST /api/admin/products/{id}/pause"),
          admin("POST /api/admin/products/{id}/resume"),
          admin("POST /api/admin/products/{id}/close"),
          admin("POST /api/admin/products/{id}/stock"),
          admin("POST /api/admin/products/{id}/seats"),
          admin("GET /api/admin/products/{id}/content"),
          admin("PUT /api/admin/products/{id}/content"),
          admin("GET /api/admin/products/{id}/live"),
          admin("GET /api/admin/products/{id}/live/stream"),
          admin("GET /api/admin/products/{id}/notice"),
          admin("PUT /api/admin/products/{id}/notice"),
          admin("GET /api/admin/products/{id}/report"),
          admin("GET /api/admin/products/{id}/report.csv"),
          admin("GET /api/admin/orders"),
          admin("GET /api/admin/orders.csv"),
          admin("POST /api/admin/orders/search"),
          admin("GET /api/admin/orders/{order_id}"),
          admin("GET /api/admin/orders/{order_id}/details"),
          admin("DELETE /api/admin/orders/{order_id}/details"),
          admin("GET /api/admin/products/{id}/details.csv"),
          admin("POST /api/admin/orders/{order_id}/notes"),
          admin("POST /api/admin/orders/{order_id}/resend"),
          admin("POST /api/admin/orders/{order_id}/receipt"),
          admin("POST /api/admin/orders/{order_id}/end-links"),
          admin("POST /api/admin/orders/{order_id}/refund"),
          admin("POST /api/admin/orders/{order_id}/cancel"),
          admin("POST /api/admin/orders/{order_id}/extend"),
          admin("POST /api/admin/products/{id}/extend-payments"),
          admin("GET /api/admin/refunds"),
          admin("GET /api/admin/products/{id}/deposits"),
          admin("GET /api/admin/disputes"),
          admin("POST /api/admin/refunds/{id}/retry"),
          admin("POST /api/admin/refunds/{id}/done"),
          admin("POST /api/admin/refunds/{id}/give-up"));

  private static final Map<String, Row> BY_ROUTE =
      ROWS.stream().collect(Collectors.toMap(Row::route, Function.identity()));

  private LimitTable() {}

  /// The row of a route; a strict one for an unknown route.
  static Row of(String route) {
    Row row = BY_ROUTE.get(route);
    return row == null ? row(route, STRANGER) : row;
  }

  private static Row row(String route, List<String> limits) {
    return new Row(route, limits, Concurrency.REQUESTS);
  }

  private static Row free(String route) {
    return new Row(route, List.of(), Concurrency.NONE);
  }

  private static Row admin(String route) {
    return row(route, List.of("global", "admin"));
  }

  private static List<String> with(List<String> limits, String... more) {
    return Stream.concat(limits.stream(), Stream.of(more)).toList();
  }
}
