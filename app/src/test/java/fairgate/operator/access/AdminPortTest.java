package fairgate.operator.access;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.kernel.Role;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The ports and tokens with which operators reach the console, the admin API and the metrics.
class AdminPortTest {
  @Test
  void metricsAreForOperators() {
    try (TestFairgate own =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of("server.metrics", "token", "operators.shared_token_role", "support"))) {
      assertThat(own.call("GET", "/metrics", "").statusCode()).isEqualTo(401);
      assertThat(own.metrics().statusCode()).isEqualTo(200);
      TestOperator operator = TestOperator.firstOwner(own);
      String token = operator.token(Role.VIEWER);
      assertThat(own.call("GET", "/metrics", "", "Authorization", "Bearer " + token).statusCode())
          .isEqualTo(200);
      HttpResponse<String> shared =
          own.call(
              "GET",
              "/api/admin/operators",
              "",
              "Authorization",
              "Bearer " + TestFairgate.OPERATOR);
      assertThat(shared.body()).as("the role of the shared token").contains("ROLE_NOT_ALLOWED");
    }
  }

  @Test
  void withAPortOfTheirOwnOperatorsAreNotOnThePublicOne() {
    try (TestFairgate own =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of("server.admin_port", "0"))) {
      String[] bearer = {"Authorization", "Bearer " + TestFairgate.OPERATOR};
      for (String path :
          List.of("/api/admin/products", "/console", "/console/sign-in", "/metrics")) {
        assertThat(own.call("GET", path, "", bearer).statusCode()).as(path).isEqualTo(404);
        assertThat(own.callAdminPort(path, bearer).statusCode()).as(path).isIn(200, 303);
      }
      assertThat(own.call("POST", "/api/admin/bans", "{}", bearer).statusCode()).isEqualTo(404);
      assertThat(own.callAdminPort("/api/products").statusCode()).isEqualTo(404);
      assertThat(own.callAdminPort("/health/live").statusCode()).isEqualTo(200);
      assertThat(own.call("GET", "/api/products", "").statusCode()).isEqualTo(200);
    }
  }
}
