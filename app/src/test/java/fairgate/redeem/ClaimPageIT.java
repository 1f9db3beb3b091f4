package fairgate.redeem;

import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The claim page in Chromium on the real server, from the pasted order to the code. Screenshots:
/// `target/screenshots`.
class ClaimPageIT {
  private static ClaimStage stage;

  @BeforeAll
  static void start() {
    stage = ClaimStage.open();
  }

  @AfterAll
  static void stop() {
    stage.close();
  }

  @AfterEach
  void close() {
    assertThat(stage.closePages()).as("errors in the browser").isEmpty();
  }

  @Test
  void aPastedOrderTextIsRedeemedForACode() {
    String number = stage.order("paid");
    Page page = stage.phone("zh-TW");
    page.navigate("/claim");
    shoot(page, "claim-1-empty");
    page.fill(
        "#order",
        "淘宝 交易快照\n收货人 王小明 13800138000\n物流 SF1234567890123\n订单编号：" + number + " 复制\n实付 ¥99.00");
    assertThat(page.textContent("#found")).contains("已找到訂單編號", "淘寶", number);
    shoot(page, "claim-2-found");
    ClaimStage.send(page);
    stage.see(page, "claimed");
    String code = page.textContent("#the-code");
    assertThat(code).matches("MHYDET-[2-9A-HJ-KM-NP-Z]{6}-[2-9A-HJ-KM-NP-Z]{4}");
    assertThat(page.isVisible(".qr")).isTrue();
    assertThat(page.textContent("dl.receipt")).contains("30 天", number);
    assertThat(page.evaluate("document.activeElement.id")).isEqualTo("title");
    shoot(page, "claim-3-code");
    page.navigate("/claim");
    page.fill("#order", number);
    ClaimStage.send(page);
    stage.see(page, "claimed");
    assertThat(page.textContent("#the-code")).as("the same again").isEqualTo(code);
    assertThat(page.isVisible(".note.good")).isTrue();
    shoot(page, "claim-4-again");
  }

  @Test
  void theCodeIsCopied() {
    String number = stage.order("paid");
    Page page =
        stage.page(
            new Browser.NewContextOptions()
                .setPermissions(List.of("clipboard-read", "clipboard-write")),
            "en");
    page.navigate("/claim?product=basic&order=" + number);
    assertThat(page.inputValue("#order")).isEqualTo(number);
    ClaimStage.send(page);
    stage.see(page, "claimed");
    page.click("#copy");
    page.waitForCondition(() -> page.textContent("#copied").equals("Copied"));
    assertThat(page.evaluate("navigator.clipboard.readText()"))
        .isEqualTo(page.textContent("#the-code"));
  }

  @Test
  void typingErrorsAreHintedAtBeforeTheFormIsSent() {
    Page page = stage.phone("en");
    page.navigate("/claim");
    page.onRequest(
        request -> {
          if (!request.url().contains("/assets/")) {
            throw new AssertionError("a trip to the server: " + request.url());
          }
        });
    hints(page, "32110580447924730", "17 digits are too few");
    hints(page, "3.21106E+18", "Excel has shortened");
    hints(page, "32110580447924730O8", "letter O among the digits");
    hints(page, "32110580447924730881", "the last 1 often slips in");
    hints(page, "hello", "No order number found");
    shoot(page, "claim-slip");
    hints(page, "３２１１０５８０４４７９２４７３０８８", "Order number found · Taobao / Douyin");
    hints(page, "P123456789012345678", "Order number found · Xiaohongshu");
    page.fill("#code", "mhydet-c9gqog");
    assertThat(page.textContent("#code-hint")).contains("never contain O (character 11)");
    String right = "MHYDET-" + withCheck("C9GQHGX4C");
    page.fill("#code", right);
    assertThat(page.textContent("#code-hint")).isEqualTo("Looks right.");
    page.fill("#code", right.substring(0, 8) + "D" + right.substring(9));
    assertThat(page.textContent("#code-hint")).contains("There is a slip");
    shoot(page, "claim-code-slip");
  }

  private static String withCheck(String symbols) {
    String all = symbols + fairgate.redeem.code.CodeAlphabet.check(symbols);
    return all.substring(0, 6) + "-" + all.substring(6);
  }

  private static void hints(Page page, String text, String hint) {
    page.fill("#order", text);
    assertThat(page.textContent("#found")).as(text).contains(hint);
  }

  @Test
  void everyRefusalHasAdvice() {
    Page page = stage.phone("en");
    page.navigate("/claim?product=basic");
    refused(page, "3211058044792479999", "order_not_found", "Compare the number");
    refused(page, stage.order("pending"), "order_not_paid", "Pay it on the platform");
    refused(page, stage.order("refunded"), "order_revoked", "money went back");
    String taken = stage.order("paid");
    Page other = stage.phone("en");
    other.navigate("/claim");
    other.fill("#order", taken);
    ClaimStage.send(other);
    stage.see(other, "claimed");
    refused(page, taken, "order_already_claimed", "another device");
    String late = stage.order("paid");
    stage
        .shop()
        .sql("UPDATE orders SET expires_at = now() - interval '1 day' WHERE order_id = ?", late);
    refused(page, late, "order_expired", "ask the seller");
    String gold = stage.order("paid");
    stage.shop().sql("UPDATE orders SET product_id = 'gold' WHERE order_id = ?", gold);
    refused(page, gold, "order_product_mismatch", "Choose the product");
    shoot(page, "claim-refused");
    refused(page, "no number at all", "no_number", "Taobao numbers have 18 or 19 digits");
  }

  private static void refused(Page page, String order, String name, String more) {
    page.fill("#order", order);
    ClaimStage.send(page);
    page.waitForSelector("#problem[data-problem=" + name + "]");
    assertThat(page.textContent("#problem")).contains(more);
    assertThat(page.inputValue("#order")).as("kept").isEqualTo(order);
    stage.forgive();
  }

  @Test
  void anAmbiguousNumberAsksForThePlatform() {
    String number = stage.order("paid");
    stage.shop().order("douyin", number, "basic", "paid");
    Page page = stage.phone("en");
    page.navigate("/claim");
    page.fill("#order", number);
    ClaimStage.send(page);
    page.waitForSelector("#problem[data-problem=ambiguous]");
    stage.forgive();
    shoot(page, "claim-platform");
    page.click(".pick:has-text('Douyin')");
    ClaimStage.send(page);
    stage.see(page, "claimed");
  }

  @Test
  void aLostConnectionLosesNothing() {
    String number = stage.order("paid");
    Page page = stage.phone("en");
    page.navigate("/claim");
    page.fill("#order", number);
    page.context().setOffline(true);
    page.click("#send");
    page.waitForSelector("#problem");
    assertThat(page.textContent("#problem")).contains("not lost");
    page.context().setOffline(false);
    ClaimStage.send(page);
    stage.see(page, "claimed");
    stage.forgive();
  }

  @Test
  void aCodeIsUsedOnThePage() {
    String number = stage.order("paid");
    Page page = stage.phone("en");
    page.navigate("/claim");
    page.fill("#order", number);
    ClaimStage.send(page);
    stage.see(page, "claimed");
    String code = page.textContent("#the-code");
    page.click("text=Claim another order");
    page.fill("#code", code.toLowerCase(java.util.Locale.ROOT));
    page.click("#use");
    page.waitForSelector("#activated.good");
    assertThat(page.textContent("#activated")).contains("Valid until");
    shoot(page, "claim-activated");
  }
}
