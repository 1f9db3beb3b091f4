package fairgate.account.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PhoneNumberTest {
  @Test
  void numbersAreReadInAnyCommonNotation() {
    for (String written :
        List.of(
            "+886 912-345-678",
            "+886 (0) 912 345 678",
            "00886912345678",
            "00 886 912.345.678",
            "＋８８６９１２３４５６７８")) {
      assertThat(PhoneNumber.of(written)).as(written).contains(new PhoneNumber("+886912345678"));
    }
    for (String wrong :
        List.of(
            "",
            "+",
            "00",
            "0912345678",
            "+0123456789",
            "+12",
            "+8869x2345678",
            "+886 912345678 ext. 5",
            "+1 212 555 012",
            "+1 900 234 5678", // premium rate
            "+886 800 123 456", // toll-free
            "+44 70 1123 4567", // personal number
            "+870 776 543 210", // satellite
            "+881 612 345 678",
            "+883 510 001 2345",
            "+" + "9".repeat(39),
            "+" + "9".repeat(60))) {
      assertThat(PhoneNumber.of(wrong)).as(wrong).isEmpty();
    }
    PhoneNumber phone = new PhoneNumber("+886912345678");
    assertThat(phone.toString()).doesNotContain(phone.value());
  }

  @Test
  void oneNumberOfArgentinaIsOneIdentityWithAndWithoutItsNine() {
    assertThat(contact("+54 9 11 2345 6789").key()).isEqualTo(contact("+54 11 2345 6789").key());
    assertThat(contact("+54 9 11 2345 6789").value()).isEqualTo("+5491123456789");
  }

  private static Contact contact(String text) {
    return PhoneNumber.of(text).orElseThrow().contact();
  }
}
