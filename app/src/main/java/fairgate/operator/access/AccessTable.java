package fairgate.operator.access;

import static fairgate.operator.access.Role.CHECKIN;
import static fairgate.operator.access.Role.OWNER;
import static fairgate.operator.access.Role.SELLER;
import static fairgate.operator.access.Role.SUPPORT;
import static fairgate.operator.access.Role.VIEWER;

import fairgate.platform.http.Method;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The roles that may call each route of the admin API. An owner may call all of them, and only an
/// owner may call a route without a row. A test compares the table with the routes of a running
/// server.
final class AccessTable {
  /// One route.
  ///
  /// @param route method and path pattern
  /// @param roles that may call it, besides those that include one of them
  /// @param needsReason whether a call takes something from somebody, so that an operator who is
  ///   signed in has to give a reason. Tokens may give one: programs of earlier releases do not
  record Row(String route, Set<Role> roles, boolean needsReason) {}

  static final List<Row> ROWS =
      List.of(
          // The caller itself.
          row("GET /api/admin/me", VIEWER, CHECKIN),
          row("POST /api/admin/me/password", VIEWER, CHECKIN),
          row("DELETE /api/admin/me/provider", VIEWER, CHECKIN),
          row("GET /api/admin/sessions", VIEWER, CHECKIN),
          row("DELETE /api/admin/sessions/{id}", VIEWER, CHECKIN),
          row("GET /api/admin/tokens", VIEWER, CHECKIN),
          row("POST /api/admin/tokens", VIEWER, CHECKIN),
          row("DELETE /api/admin/tokens/{id}", VIEWER, CHECKIN),
          // Operators.
          row("GET /api/admin/operators", OWNER),
          row("POST /api/admin/operators", OWNER),
          row("GET /api/admin/operators/{id}", OWNER),
          taking("PATCH /api/admin/operators/{id}", OWNER),
          taking("DELETE /api/admin/operators/{id}", OWNER),
          taking("POST /api/admin/operators/{id}/link", OWNER),
          taking("DELETE /api/admin/operators/{id}/sessions", OWNER),
          // Products and their sales.
          row("GET /api/admin/products", VIEWER),
          row("GET /api/admin/products/{id}", VIEWER),
          row("GET /api/admin/products/{id}/live", VIEWER),
          row("GET /api/admin/products/{id}/live/stream", VIEWER),
          row("GET /api/admin/products/{id}/notice", VIEWER),
          row("PUT /api/admin/products/{id}/notice", SELLER),
          row("GET /api/admin/products/{id}/report", VIEWER),
          row("GET /api/admin/products/{id}/report.csv", VIEWER),
          row("GET /api/admin/products/{id}/content", VIEWER),
          row("PUT /api/admin/products/{id}/content", SELLER),
          row("POST /api/admin/pictures", SELLER),
          row("POST /api/admin/products", SELLER),
          row("PUT /api/admin/products/{id}", SELLER),
          row("PATCH /api/admin/products/{id}", SELLER),
          row("POST /api/admin/products/{id}/open", SELLER),
          row("POST /api/admin/products/{id}/pause", SELLER),
          row("POST /api/admin/products/{id}/resume", SELLER),
          taking("POST /api/admin/products/{id}/close", SELLER),
          row("POST /api/admin/products/{id}/stock", SELLER),
          row("GET /api/admin/products/{id}/waiting-list", SUPPORT, SELLER),
          row("GET /api/admin/products/{id}/invitations", SELLER),
          row("POST /api/admin/products/{id}/invitations", SELLER),
          taking("DELETE /api/admin/products/{id}/invitations", SELLER),
          row("POST /api/admin/products/{id}/invitation-links", SELLER),
          row("POST /api/admin/products/{id}/seats", SUPPORT),
          // Orders and money.
          row("GET /api/admin/orders", SUPPORT, SELLER),
          row("GET /api/admin/orders.csv", SUPPORT, SELLER),
          row("POST /api/admin/orders/search", SUPPORT),
          row("GET /api/admin/orders/{order_id}", SUPPORT, SELLER),
          row("GET /api/admin/orders/{order_id}/details", SUPPORT),
          taking("DELETE /api/admin/orders/{order_id}/details", SUPPORT),
          row("GET /api/admin/products/{id}/details.csv", SUPPORT),
          row("GET /api/admin/orders/{order_id}/tickets", SUPPORT),
          row("POST /api/admin/orders/{order_id}/notes", SUPPORT, SELLER),
          row("POST /api/admin/orders/{order_id}/resend", SUPPORT),
          row("POST /api/admin/orders/{order_id}/receipt", SUPPORT),
          row("POST /api/admin/orders/{order_id}/end-links", SUPPORT),
          taking("POST /api/admin/orders/{order_id}/refund", SUPPORT),
          taking("POST /api/admin/orders/{order_id}/cancel", SUPPORT),
          row("POST /api/admin/orders/{order_id}/extend", SUPPORT),
          row("POST /api/admin/products/{id}/extend-payments", SUPPORT),
          row("GET /api/admin/refunds", SUPPORT, SELLER),
          row("GET /api/admin/products/{id}/deposits", SUPPORT, SELLER),
          row("GET /api/admin/disputes", SUPPORT, SELLER),
          row("POST /api/admin/refunds/{id}/retry", SUPPORT),
          row("POST /api/admin/refunds/{id}/done", SUPPORT),
          taking("POST /api/admin/refunds/{id}/give-up", SUPPORT),
          row("GET /api/admin/webhooks", SUPPORT, SELLER),
          row("POST /api/admin/webhooks/test", SELLER),
          row("POST /api/admin/webhooks/{id}/resend", SUPPORT, SELLER),
          // The entrance of an event.
          row("GET /api/admin/products/{id}/tickets", CHECKIN, SUPPORT, SELLER),
          row("POST /api/admin/products/{id}/check-ins", CHECKIN, SUPPORT, SELLER),
          // People.
          row("GET /api/admin/bans", SUPPORT),
          taking("POST /api/admin/bans", SUPPORT),
          row("DELETE /api/admin/bans/{id}", SUPPORT),
          row("GET /api/admin/appeals", SUPPORT),
          row("GET /api/admin/appeals/{id}", SUPPORT),
          row("POST /api/admin/appeals/{id}", SUPPORT),
          row("GET /api/admin/suspects", SUPPORT),
          row("GET /api/admin/decisions", SUPPORT),
          row("GET /api/admin/hot-clients", SUPPORT),
          row("POST /api/admin/hot-clients/reveal", SUPPORT),
          row("POST /api/admin/accounts/{username}/reset", OWNER),
          taking("DELETE /api/admin/accounts/{username}", OWNER),
          // Redemption codes.
          row("GET /api/admin/orders/import", SELLER),
          row("POST /api/admin/orders/import", SELLER),
          row("GET /api/admin/orders/import/{id}", SELLER),
          row("GET /api/admin/orders/import/{id}/errors.csv", SELLER),
          row("POST /api/admin/orders/import/{id}/undo", SELLER),
          row("GET /api/admin/orders/import-words", SELLER),
          row("POST /api/admin/orders/import-words", SELLER),
          row("GET /api/admin/redeem/bans", SUPPORT),
          row("POST /api/admin/redeem/bans/{id}/lift", SUPPORT),
          row("GET /api/admin/redeem/failures", SUPPORT),
          row("GET /api/admin/redeem/codes", SUPPORT, SELLER),
          row("POST /api/admin/redeem/codes/search", SUPPORT, SELLER),
          row("GET /api/admin/redeem/codes/{id}", SUPPORT, SELLER),
          taking("POST /api/admin/redeem/codes/{id}/replace", SUPPORT, SELLER),
          taking("POST /api/admin/redeem/codes/{id}/revoke", SUPPORT, SELLER),
          row("GET /api/admin/redeem/export", SELLER),
          row("POST /api/admin/redeem/export", SELLER),
          row("GET /api/admin/redeem/exports", SELLER),
          row("GET /api/admin/redeem/merchants", SELLER),
          row("POST /api/admin/redeem/merchants", OWNER),
          taking("DELETE /api/admin/redeem/merchants/{id}", OWNER),
          row("GET /api/admin/redeem/products", VIEWER),
          row("PUT /api/admin/redeem/products/{id}", SELLER),
          row("GET /api/admin/redeem/stock", VIEWER),
          row("GET /api/admin/redeem/strength", VIEWER),
          // Short links.
          taking("POST /api/admin/links/{code}/ban", SELLER),
          row("POST /api/admin/links/{code}/unban", SELLER),
          row("GET /api/admin/links/hosts", SELLER),
          taking("POST /api/admin/links/hosts", SELLER),
          row("DELETE /api/admin/links/hosts/{host}", SELLER),
          // Waiting rooms.
          row("GET /api/admin/rooms", VIEWER),
          row("POST /api/admin/rooms", SELLER),
          row("GET /api/admin/rooms/{id}", VIEWER),
          row("PUT /api/admin/rooms/{id}", SELLER),
          row("PATCH /api/admin/rooms/{id}", SELLER),
          taking("DELETE /api/admin/rooms/{id}", SELLER),
          row("PUT /api/admin/rooms/{id}/mode", SELLER),
          row("PUT /api/admin/rooms/{id}/stock", SELLER),
          row("DELETE /api/admin/rooms/{id}/stock", SELLER),
          taking("POST /api/admin/rooms/{id}/revoke", SELLER),
          row("POST /api/admin/rooms/{id}/return-urls", SELLER),
          // The keys sign passes.
          row("GET /api/admin/rooms/{id}/edge-keys", OWNER),
          // Draws.
          row("GET /api/admin/draws", VIEWER),
          row("GET /api/admin/draws/{id}", VIEWER),
          row("POST /api/admin/draws", SELLER),
          taking("POST /api/admin/draws/{id}/abort", SELLER),
          taking("POST /api/admin/draws/{id}/exclusions", SELLER),
          // Policies, keys and the audit log.
          row("GET /api/admin/policies", OWNER),
          row("POST /api/admin/policies", OWNER),
          row("POST /api/admin/policies/validate", OWNER),
          row("GET /api/admin/policies/{version}", OWNER),
          row("POST /api/admin/policies/rollback", OWNER),
          row("POST /api/admin/policies/{version}/backtest", OWNER),
          row("POST /api/admin/policies/{version}/canary", OWNER),
          row("DELETE /api/admin/policies/{version}/canary", OWNER),
          row("POST /api/admin/policies/{version}/activate", OWNER),
          row("GET /api/admin/api-keys", OWNER),
          row("POST /api/admin/api-keys", OWNER),
          taking("DELETE /api/admin/api-keys/{id}", OWNER),
          row("GET /api/admin/settings", OWNER),
          row("GET /api/admin/audit", OWNER),
          row("GET /api/admin/audit.csv", OWNER));

  private static final Map<String, Row> BY_ROUTE =
      ROWS.stream().collect(Collectors.toMap(Row::route, Function.identity()));

  private AccessTable() {}

  /// The roles that may call the route.
  static Set<Role> rolesFor(Method method, String path) {
    Row row = BY_ROUTE.get(method + " " + path);
    Set<Role> roles = EnumSet.of(OWNER);
    if (row != null) {
      for (Role role : Role.values()) {
        if (row.roles().stream().anyMatch(role::includes)) {
          roles.add(role);
        }
      }
    }
    return roles;
  }

  /// Whether an operator who is signed in has to give a reason.
  static boolean needsReason(Method method, String path) {
    Row row = BY_ROUTE.get(method + " " + path);
    return row != null && row.needsReason();
  }

  private static Row row(String route, Role... roles) {
    return new Row(route, Set.of(roles), false);
  }

  private static Row taking(String route, Role... roles) {
    return new Row(route, Set.of(roles), true);
  }
}
