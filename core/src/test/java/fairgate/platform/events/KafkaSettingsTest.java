package fairgate.platform.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

final class KafkaSettingsTest {
  @Test
  void serversAreHostAndPort() {
    assertThat(KafkaLog.Settings.servers("")).isEmpty();
    assertThat(KafkaLog.Settings.servers("a:9092, 10.0.0.1:9093 ,[2001:db8::1]:9094"))
        .containsExactly("a:9092", "10.0.0.1:9093", "[2001:db8::1]:9094");
    for (String wrong : List.of("a", "a:", "a:9092;b:9092", "http://a:9092", "a:9092,b", ":9092")) {
      assertThatThrownBy(() -> KafkaLog.Settings.servers(wrong))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("is not host:port");
    }
  }

  @Test
  void operatorSettingsApplyUnlessFairgateSetsThem() {
    Map<String, String> client =
        Map.of("security.protocol", "SASL_SSL", "bootstrap.servers", "elsewhere:1");
    Properties all = new KafkaLog.Settings(List.of("a:1", "b:2"), client).properties("n1");
    assertThat(all)
        .containsEntry("security.protocol", "SASL_SSL")
        .containsEntry("bootstrap.servers", "a:1,b:2")
        .containsEntry("client.id", "fairgate-n1");
  }
}
