package fairgate.gate.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.gate.signature.FieldParser.InnerList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FieldParserTest {
  private static final String GOOD =
      "fg=(\"@method\" \"x-session-id\");created=1618884473;nonce=\"a/b+c=\";keyid=\"k\"";

  @Test
  void aListHasItemsAndParameters() {
    InnerList list = FieldParser.innerLists(GOOD).get("fg");
    assertThat(list)
        .isEqualTo(
            new InnerList(
                List.of("@method", "x-session-id"),
                Map.of("created", 1_618_884_473L, "nonce", "a/b+c=", "keyid", "k"),
                GOOD.substring(3)));
  }

  @Test
  void theOriginalTextIsKept() {
    String spaced = "a=( \"@method\"  \"@path\" ); created=1,  b=();x=\"\"";
    Map<String, InnerList> lists = FieldParser.innerLists(spaced);
    assertThat(lists).containsOnlyKeys("a", "b");
    assertThat(lists.values())
        .extracting(InnerList::written)
        .containsExactly("( \"@method\"  \"@path\" ); created=1", "();x=\"\"");
  }

  @Test
  void bytesAreBase64BetweenColons() {
    assertThat(FieldParser.bytes("fg=:AQID:, b=::").get("fg")).containsExactly(1, 2, 3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "fg",
        "fg=",
        "=()",
        "fg=(",
        "fg=(\"@method\"",
        "fg=(\"@method)",
        "fg=(@method)",
        "fg=(\"a\"\"b\")",
        "fg=(\"a\";sf)",
        "fg=(\"a\\\"b\")",
        "fg=(\"a\tb\")",
        "fg=(\"é\")",
        "fg=();created",
        "fg=();created=",
        "fg=();created=-1",
        "fg=();created=1.5",
        "fg=();created=1234567890123456",
        "fg=();created=1;created=2",
        "fg=();x=token",
        "fg=() b=()",
        "fg=(),",
        "fg=(), fg=()",
        "Fg=()",
        "a=(), b=(), c=(), d=(), e=()"
      })
  void aTextThatIsNoListIsMalformed(String text) {
    assertThatThrownBy(() -> FieldParser.innerLists(text))
        .isInstanceOf(FieldParser.Malformed.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "a=", "a=:", "a=:A", "a=:*:", "a=AQID", "a=:AQID:;x=1"})
  void aTextThatIsNoByteSequenceIsMalformed(String text) {
    assertThatThrownBy(() -> FieldParser.bytes(text)).isInstanceOf(FieldParser.Malformed.class);
  }

  @Test
  void lengthAndCountAreBounded() {
    String item = "\"" + "a".repeat(30) + "\" ";
    assertThat(FieldParser.innerLists("a=(" + item.repeat(32) + ")").values())
        .allSatisfy(list -> assertThat(list.items()).hasSize(32));
    for (String text :
        List.of("a=(" + item.repeat(33) + ")", "a=(\"" + "a".repeat(5_000) + "\")")) {
      assertThatThrownBy(() -> FieldParser.innerLists(text))
          .isInstanceOf(FieldParser.Malformed.class);
    }
  }

  @Provide
  Arbitrary<String> nearlyRight() {
    return Arbitraries.strings()
        .withChars("fga=()\" ;:,created0123@methodABC+/\\\u00e9\n")
        .ofMaxLength(60);
  }

  @Property(tries = 5_000)
  void anyTextIsParsedOrMalformed(@ForAll("nearlyRight") String text) {
    try {
      FieldParser.innerLists(text)
          .values()
          .forEach(list -> assertThat(text).contains(list.written()));
    } catch (FieldParser.Malformed e) {
      assertThat(e).hasMessage("malformed");
    }
    try {
      assertThat(FieldParser.bytes(text)).isNotEmpty();
    } catch (FieldParser.Malformed e) {
      assertThat(e).hasMessage("malformed");
    }
  }
}
