package fairgate.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LinkAddressTest {
  private static final LinkAddress ADDRESS =
      new LinkAddress(
          "https://go.example",
          List.of("", "https://TICKETS.example:8443/shop", "https://bücher.example"));

  @Test
  void everyNameOfTheServerIsItsOwn() {
    assertThat(ADDRESS.own("http://203.0.113.7:8080"))
        .containsExactlyInAnyOrder(
            "go.example", "tickets.example", "xn--bcher-kva.example", "203.0.113.7");
  }

  @Test
  void aServerOfThisMachineHasAllNamesOfTheMachineItself() {
    for (String url :
        List.of("http://127.0.0.1:8080", "http://localhost:8080", "http://0.0.0.0:1")) {
      assertThat(ADDRESS.own(url)).contains("localhost", "127.0.0.1", "[::1]", "0.0.0.0");
    }
    assertThat(new LinkAddress("", List.of()).own("http://[::]:8080")).contains("[::1]");
  }
}
