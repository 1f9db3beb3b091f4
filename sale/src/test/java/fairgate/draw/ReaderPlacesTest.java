package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.draw.DrawRecordRoutes.ReaderPlaces;
import org.junit.jupiter.api.Test;

class ReaderPlacesTest {
  @Test
  void oneAddressLeavesPlacesForOthers() {
    ReaderPlaces places = new ReaderPlaces(8, 2);
    for (int i = 0; i < 2; i++) {
      assertThat(places.isFull("a")).isFalse();
      assertThat(places.enter("a")).isTrue();
    }
    assertThat(places.isFull("a")).isTrue();
    assertThat(places.enter("a")).isFalse();
    for (String other : new String[] {"b", "b", "c", "c", "d", "d"}) {
      assertThat(places.enter(other)).isTrue();
    }
    assertThat(places.isFull("e")).isTrue();
    assertThat(places.enter("e")).isFalse();
    places.leave("a");
    assertThat(places.isFull("a")).isFalse();
    assertThat(places.enter("e")).isTrue();
    assertThat(places.enter("a")).isFalse();
  }
}
