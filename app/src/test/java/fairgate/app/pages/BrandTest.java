package fairgate.app.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.platform.page.Brand;
import org.junit.jupiter.api.Test;

final class BrandTest {
  private static String css(String color) {
    return new Brand("Shop", "", color, "", "", "").css();
  }

  @Test
  void aReadableColorIsKeptOnLightPages() {
    assertThat(css("#0b3d91")).contains(":root{--brand:#0b3d91;").contains("--on-brand:#ffffff");
  }

  @Test
  void aPaleColorIsDarkenedOnLightPagesAndKeptOnDarkOnes() {
    String[] modes = css("#ffd54f").split("@media", 2);
    assertThat(modes[0]).doesNotContain("--brand:#ffd54f;");
    assertThat(modes[1]).contains("--brand:#ffd54f;").contains("--on-brand:#000000");
  }

  @Test
  void blackAndWhiteStayReadable() {
    assertThat(css("#000000").split("@media", 2)[1]).doesNotContain("--brand:#000000;");
    assertThat(css("#ffffff").split("@media", 2)[0]).doesNotContain("--brand:#ffffff;");
  }

  @Test
  void onlyColorsAreAccepted() {
    for (String wrong : new String[] {"red", "#fff", "#12345g", "#123456;}*{", "url(x)"}) {
      assertThatThrownBy(() -> css(wrong)).as(wrong).isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(css("")).isEmpty();
  }

  @Test
  void onlyLinksThatExistAreShown() {
    Brand brand = new Brand("Shop", "", "", "https://a.example/t", "", "https://a.example/i");
    assertThat(brand.links()).extracting("key").containsExactly("foot.terms", "foot.imprint");
    assertThat(Brand.FAIRGATE.links()).isEmpty();
  }
}
