package fairgate.app.pages;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.microsoft.playwright.CDPSession;
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

  /// A file that is on its way shows how far it is, and nothing of it stays when it is cancelled.
  void cancelAnUpload() {
    CDPSession network = page.context().newCDPSession(page);
    JsonObject slow = new JsonObject();
    slow.addProperty("offline", false);
    slow.addProperty("latency", 0);
    slow.addProperty("downloadThroughput", -1);
    slow.addProperty("uploadThroughput", 400_000);
    JsonObject _ = network.send("Network.emulateNetworkConditions", slow);
    byte[] large = (ORDERS + "x".repeat(4_000_000)).getBytes(UTF_8);
    page.setInputFiles("[name=file]", new FilePayload("cancelled.csv", "text/csv", large));
    page.click("#check");
    page.waitForSelector(
        "#sending [role=progressbar]:not([aria-valuenow='0']):not([aria-valuenow='100'])");
    assertThat(page.textContent("#sending")).containsPattern("Sending the file: [1-9][0-9]?%");
    assertThat(page.isVisible("#check")).isFalse();
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-import-sending");
    page.click("#sending .button");
    page.waitForSelector("#check");
    assertThat(page.isVisible("#sending")).isFalse();
    network.detach();
    assertThat(server.admin("GET", "/orders/import", "")).doesNotContain("cancelled.csv");
  }

  /// A check of a file finds a word that nobody knows and a row of an unknown product.
  void importAFile() {
    page.setInputFiles(
        "[name=file]",
        new FilePayload("orders.csv", "text/csv", "order_id,state\n1,paid\n".getBytes(UTF_8)));
    page.click("#check");
    page.waitForSelector("[name='map.product_id'][aria-invalid=true]");
    assertThat(page.textContent(".field:has([name='map.product_id']) .field-problem"))
        .contains("no column Product", "one value for all rows")
        .doesNotContain("--");
    shoot(page, "console-import-no-column");
    page.setInputFiles(
        "[name=file]", new FilePayload("orders.csv", "text/csv", ORDERS.getBytes(UTF_8)));
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
    // The file is checked again by itself.
    page.click("#words .button.primary");
    page.waitForSelector(".note:has-text('nothing was changed. Refused rows: 1.')");
    page.click("#send");
    page.waitForSelector("#undo");
    assertThat(page.textContent(".console-facts")).contains("New orders2");
    page.click("#again");
    page.waitForSelector("p:has-text('this is run 2.')");
    assertThat(page.textContent(".console-facts")).contains("New orders0", "Known, unchanged2");
    assertThat(page.locator("table:has-text('Earlier runs') tbody :is(th, td)").allTextContents())
        .as("the first report stays what it was")
        .startsWith("Run 1", "2", "0", "0", "1", "owner");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-import-run-2");
    page.click(".back");
    page.waitForSelector("td:has-text('Paid')");
    page.waitForSelector("th:has-text('Run 2')");
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
    shoot(page, "console-code-replaced");
    page.click("#open_new");
    page.waitForSelector("#open_old");
    page.click("#open_old");
    page.waitForSelector("#open_new");
    page.click(".back");
    searchByTheEnd(code);
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

  /// Finds a code by what the buyer has sent of it: the whole code, which no address has.
  private void openCode(String code) {
    search(" " + code.toLowerCase(Locale.ROOT).replace("-", " ") + " ");
    page.waitForURL("**/codes/code/*");
    page.waitForSelector(".toast:has-text('The whole code was compared')");
  }

  /// Other codes may end as the typed one, and the page says so.
  private void searchByTheEnd(String code) {
    String end = code.substring(code.length() - 4);
    search("BASIC-QQQQ-" + end);
    page.waitForSelector(".note.warn:has-text('No code is the one that you typed.')");
    assertThat(page.textContent(".note.warn")).contains("Only the last characters " + end);
    page.waitForSelector("th a");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-codes-last4");
    search(end);
    page.waitForSelector(
        ".note:not(:has-text('No code')):has-text('Only the last characters " + end + "')");
  }

  private void search(String typed) {
    page.fill("[name=last4]", typed);
    page.click("form .button.primary");
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
