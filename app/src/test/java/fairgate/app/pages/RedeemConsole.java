package fairgate.app.pages;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.FilePayload;
import fairgate.app.TestFairgate;
import java.util.Locale;

/// What a seller does in the console for buyers of other platforms, step by step on one page.
final class RedeemConsole {
  private static final String ORDERS =
      """
      order_id,product_id,platform,status,paid_at
      TB7000000000001,basic,taobao,尾款到账,2026-01-08 12:30:00
      TB7000000000002,basic,taobao,paid,2026-01-08 12:31:00
      TB7000000000003,gold,taobao,paid,2026-01-08 12:32:00
      """;

  private final TestFairgate server;
  private final Page page;

  RedeemConsole(TestFairgate server, Page page) {
    this.server = server;
    this.page = page;
  }

  void createAProduct() {
    page.click("#new");
    page.fill("dialog [name=name]", "Basic, one month");
    page.fill("dialog [name=id]", "basic");
    page.fill("dialog [name=duration_days]", "30");
    assertThat(page.textContent("dialog .effect")).isEqualTo("Days from the claim: 30");
    assertThat(page.isVisible("dialog [name=activate_within_days]")).isFalse();
    page.selectOption("dialog [name=starts]", "first_use");
    page.fill("dialog [name=activate_within_days]", "7");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-redeem-product");
    page.click("dialog .button.primary");
    page.waitForSelector("[data-edit=basic]");
    page.click("#new");
    page.fill("dialog [name=name]", "Another");
    page.fill("dialog [name=id]", "basic");
    page.click("dialog .button.primary");
    page.waitForSelector("dialog [name=id][aria-invalid=true]");
    page.click("dialog .button.quiet");
    page.click("[data-edit=basic]");
    page.fill("dialog [name=code_prefix]", "basic");
    page.click("dialog .button.primary");
    page.waitForSelector("td:text-is('BASIC')");
    assertThat(server.admin("GET", "/redeem/products", ""))
        .contains("\"duration_days\":30,\"starts\":\"first_use\",\"activate_within_days\":7")
        .contains("\"name\":\"Basic, one month\"", "\"code_prefix\":\"BASIC\"");
  }

  /// A check of a file finds a word that nobody knows and a row of an unknown product.
  void importAFile() {
    page.setInputFiles(
        "[name=file]", new FilePayload("orders.csv", "text/csv", ORDERS.getBytes(UTF_8)));
    page.click("summary");
    page.fill("[name=zone]", "Mars/Base");
    page.click("#check");
    page.waitForSelector("[name=zone][aria-invalid=true]");
    page.fill("[name=zone]", "Asia/Taipei");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-import-new");
    page.click("#check");
    page.waitForSelector("#words");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-import-report");
    assertThat(page.textContent(".console-page")).contains("Refused rows: 2", "no product gold");
    page.selectOption("#words select", "paid");
    page.click("#words .button.primary");
    page.waitForSelector(".toast:has-text('Import the file again')");
    page.click("#again");
    page.waitForSelector(".note:has-text('nothing was changed. Refused rows: 1.')");
    page.click("#send");
    page.waitForSelector("#undo");
    assertThat(page.textContent(".console-facts")).contains("New orders2");
    page.click(".back");
    page.waitForSelector("td:has-text('Paid')");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-imports");
  }

  void replaceAndRevokeACode() {
    String claim =
        "{\"order_id\":\"TB7000000000002\",\"product_id\":\"basic\",\"device_id\":\"web_1\"}";
    String code =
        server
            .callUntilAccepted("POST", "/api/redeem/claim", claim)
            .body()
            .replaceFirst("(?s).*\"code\":\"([^\"]+)\".*", "$1");
    assertThat(code).startsWith("BASIC-");
    page.click(".tabs a[href='/console/codes']");
    openCode(code);
    page.click("#replace");
    page.fill("dialog [name=reason]", "sent to the wrong person");
    page.click("dialog .button.danger");
    page.waitForSelector("[name=secret]");
    String replacement = page.inputValue("[name=secret]");
    assertThat(replacement).startsWith("BASIC-").isNotEqualTo(code);
    page.click("dialog .button.quiet");
    page.waitForSelector(".badge:has-text('Replaced')");
    page.click(".back");
    openCode(replacement);
    page.click("#revoke");
    page.fill("dialog [name=reason]", "bought with a stolen card");
    assertThat(page.textContent("dialog")).contains("TB7000000000002", "basic");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-code-revoke");
    page.click("dialog .button.danger");
    page.waitForSelector(".badge.bad:has-text('Revoked')");
    shoot(page, "console-code");
    assertThat(server.admin("GET", "/redeem/codes?order_id=TB7000000000002", ""))
        .contains("\"state\":\"revoked\"");
  }

  /// Finds a code by what the buyer has sent of it.
  private void openCode(String code) {
    page.fill("[name=last4]", " " + code.toLowerCase(Locale.ROOT) + " ");
    page.click("form .button.primary");
    page.waitForURL("**/codes?last4=" + code.substring(code.length() - 4));
    page.click("th a");
  }

  void undoTheImport() {
    page.navigate("/console/codes/imports");
    page.click("th a");
    page.click("#undo");
    page.fill("dialog [name=typed]", "undo");
    page.click("dialog .button.danger");
    page.waitForSelector(".toast:has-text('kept because their codes were claimed')");
    page.waitForSelector(".note:has-text('This import was undone.')");
  }
}
