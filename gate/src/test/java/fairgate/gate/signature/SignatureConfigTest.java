package fairgate.gate.signature;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.platform.http.Action;
import fairgate.platform.http.Method;
import java.util.List;
import org.junit.jupiter.api.Test;

class SignatureConfigTest {
  @Test
  void routesMatchExactlyOrByPrefix() {
    SignatureConfig config =
        SignatureConfig.requiring(
            List.of("POST /api/purchase", "/api/admin/*", "/api/orders/{order_id}"));
    assertThat(config.problems()).isEmpty();
    assertThat(config.requires(new Action(Method.POST, "/api/purchase"))).isTrue();
    assertThat(config.requires(new Action(Method.GET, "/api/purchase"))).isFalse();
    assertThat(config.requires(new Action(Method.POST, "/api/purchases"))).isFalse();
    assertThat(config.requires(new Action(Method.DELETE, "/api/admin/api-keys/{id}"))).isTrue();
    assertThat(config.requires(new Action(Method.GET, "/api/administrators"))).isFalse();
    assertThat(config.requires(new Action(Method.GET, "/api/orders/{order_id}"))).isTrue();
    assertThat(config.requires(new Action(Method.POST, "/api/orders/{order_id}/pay"))).isFalse();
    assertThat(SignatureConfig.defaults().requires(new Action(Method.POST, "/api/purchase")))
        .isFalse();
  }

  @Test
  void aPatternThatIsNoRouteIsAnError() {
    for (String wrong :
        List.of("api/purchase", "/p/7", "PATCH /api/x", "POST  /api/x", "/api/*/x")) {
      assertThat(SignatureConfig.requiring(List.of(wrong)).problems()).as(wrong).hasSize(1);
    }
  }
}
