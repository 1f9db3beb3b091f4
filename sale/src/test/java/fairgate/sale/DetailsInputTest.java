package fairgate.sale;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.catalog.BuyerField;
import fairgate.catalog.BuyerField.Kind;
import fairgate.platform.text.Language;
import fairgate.sale.DetailsInput.Reason;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DetailsInputTest {
  private static DetailsInput read(Kind kind, boolean required, String value) {
    BuyerField field = new BuyerField(kind, "it", Map.of(Language.EN, "It"), required);
    return DetailsInput.read(List.of(field), Map.of("it", value)::get);
  }

  private static List<Reason> reasons(Kind kind, String value) {
    return read(kind, true, value).problems().stream().map(DetailsInput.Problem::reason).toList();
  }

  @Test
  void valuesLoseTheirSurroundingBlanksAndEmptyOnesAreLeftOut() {
    assertThat(read(Kind.NAME, true, "  王小明 ").values()).containsEntry("it", "王小明");
    DetailsInput empty = read(Kind.TEXT, false, "   ");
    assertThat(empty.values()).isEmpty();
    assertThat(empty.problems()).isEmpty();
  }

  @Test
  void aRequiredFieldIsMissingWhenBlankOrAbsent() {
    assertThat(reasons(Kind.NAME, " \u3000")).containsExactly(Reason.MISSING);
    BuyerField field = new BuyerField(Kind.NAME, "name", Map.of(), true);
    assertThat(DetailsInput.read(List.of(field), _ -> null).problems())
        .extracting(DetailsInput.Problem::reason)
        .containsExactly(Reason.MISSING);
  }

  @Test
  void lengthsCountCharactersAndNotBytes() {
    assertThat(reasons(Kind.TEXT, "𠮷".repeat(200))).isEmpty();
    assertThat(reasons(Kind.TEXT, "𠮷".repeat(201))).containsExactly(Reason.TOO_LONG);
  }

  @Test
  void onlyAnAddressHasSeveralLines() {
    assertThat(read(Kind.ADDRESS, true, "1 Road\r\nTaipei").values())
        .containsEntry("it", "1 Road\nTaipei");
    assertThat(reasons(Kind.NAME, "a\nb")).containsExactly(Reason.NOT_LINE);
    assertThat(reasons(Kind.ADDRESS, "a\u0000b")).containsExactly(Reason.NOT_LINE);
  }

  @Test
  void mailAddressesAndTelephonesHaveTheirForm() {
    assertThat(reasons(Kind.EMAIL, "ming@mail.example.com")).isEmpty();
    for (String wrong : List.of("ming", "ming@example", "a b@example.com", "a@b@c.de", "a@b..c")) {
      assertThat(reasons(Kind.EMAIL, wrong)).as(wrong).containsExactly(Reason.NOT_EMAIL);
    }
    assertThat(reasons(Kind.PHONE, "+886 (0)2-1234.5678")).isEmpty();
    for (String wrong : List.of("12345", "call me", "+886 x 123456", "++886123456")) {
      assertThat(reasons(Kind.PHONE, wrong)).as(wrong).containsExactly(Reason.NOT_TELEPHONE);
    }
  }
}
