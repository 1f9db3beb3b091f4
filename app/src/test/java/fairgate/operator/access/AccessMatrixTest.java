package fairgate.operator.access;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.TestFairgate;
import fairgate.kernel.Role;
import fairgate.platform.http.Route;
import java.net.http.HttpResponse;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// Every route of the admin API with every role, read from the routes of a running server.
class AccessMatrixTest {
  private static final Map<Role, String> TOKENS = new EnumMap<>(Role.class);

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  @BeforeAll
  static void start() {
    server = TestFairgate.start();
    TestOperator owner = TestOperator.firstOwner(server);
    for (Role role : Role.values()) {
      TOKENS.put(role, owner.token(role));
    }
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void routesOfTheAdminApiNameTheirRolesAndNoOthersDo() {
    assertThat(server.routes())
        .allSatisfy(
            route ->
                assertThat(route.access() != null)
                    .as(route.path())
                    .isEqualTo(route.path().startsWith("/api/admin/")));
  }

  @TestFactory
  Stream<DynamicTest> aCallerWithoutATokenIsRefused() {
    return each(
        route -> {
          assertThat(call(route).statusCode()).isEqualTo(401);
          for (String wrong :
              List.of("", "Bearer ", "Bearer x", "Basic b3duZXI6", "Bearer fgo_x")) {
            HttpResponse<String> answer = call(route, "Authorization", wrong);
            assertThat(answer.statusCode()).as(wrong).isEqualTo(401);
            assertThat(answer.body()).contains("UNAUTHORIZED");
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> aRoleIsRefusedUnlessTheRoutePermitsIt() {
    return each(
        route ->
            TOKENS.forEach(
                (role, token) -> {
                  HttpResponse<String> answer =
                      call(route, "Authorization", "Bearer " + token, "Accept-Language", "en");
                  String refusal = answer.statusCode() == 403 ? answer.body() : "";
                  assertThat(answer.statusCode()).as(answer.body()).isNotIn(401, 500);
                  if (Objects.requireNonNull(route.access()).permits(role)) {
                    assertThat(refusal).as(role.word()).doesNotContain("ROLE_NOT_ALLOWED");
                  } else {
                    assertThat(refusal)
                        .as(role.word())
                        .contains("\"error\":\"ROLE_NOT_ALLOWED\"", "ask an owner")
                        .contains("\"role\":\"" + role.word() + "\"", "\"owner\"");
                  }
                }));
  }

  @Test
  void aRouteThatNamesNoRoleIsForOwnersOnly() {
    assertThat(Role.values()).filteredOn(Route.Access.OWNERS::permits).containsExactly(Role.OWNER);
  }

  @Test
  void rolesIncludeEachOtherAsDocumented() {
    assertThat(Role.values()).allMatch(Role.OWNER::includes);
    assertThat(Role.values())
        .allMatch(role -> role.includes(Role.VIEWER) == (role != Role.CHECKIN));
    assertThat(Role.values())
        .allMatch(
            role -> role.includes(Role.CHECKIN) == (role == Role.CHECKIN || role == Role.OWNER));
    assertThat(Role.SUPPORT.includes(Role.SELLER)).isFalse();
    assertThat(Role.SELLER.includes(Role.SUPPORT)).isFalse();
    assertThat(Role.VIEWER.includes(Role.SUPPORT)).isFalse();
    assertThat(Role.SUPPORT.includes(Role.OWNER)).isFalse();
  }

  private static Stream<Route> admin() {
    return server.routes().stream().filter(route -> route.path().startsWith("/api/admin/"));
  }

  private interface Check {
    void accept(Route route);
  }

  private static Stream<DynamicTest> each(Check check) {
    List<Route> all = admin().toList();
    assertThat(all).hasSizeGreaterThan(90);
    return all.stream()
        .map(route -> DynamicTest.dynamicTest(name(route), () -> check.accept(route)));
  }

  private static String name(Route route) {
    return route.method() + " " + route.path();
  }

  /// A call for a thing that does not exist.
  private static HttpResponse<String> call(Route route, String... headers) {
    return server.call(
        route.method().name(), route.path().replaceAll("\\{\\w+}", "987654"), "", headers);
  }
}
