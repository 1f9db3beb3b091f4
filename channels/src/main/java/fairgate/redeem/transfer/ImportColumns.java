package fairgate.redeem.transfer;

import fairgate.platform.text.CellText;
import fairgate.platform.text.CsvFile.InvalidCsv;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Which column of a file holds which field.
///
/// @param header the file's own header
/// @param places field to column, from 0
record ImportColumns(List<String> header, Map<ImportField, Integer> places) {
  private static final int SHOWN = 30;

  /// The option for the heading of a field, without the field.
  private static final String OPTION = "map.";

  /// Headings that only one platform has in its exports.
  private static final Map<String, Set<String>> PLATFORMS =
      Map.of(
          "taobao",
          Set.of(
              "买家会员名",
              "买家支付宝账号",
              "支付单号",
              "买家应付货款",
              "买家应付邮费",
              "买家实际支付金额",
              "买家实际支付积分",
              "宝贝标题",
              "宝贝种类",
              "宝贝总数量",
              "返点积分",
              "店铺id",
              "订单关闭原因",
              "是否手机订单",
              "天猫卡券抵扣",
              "集分宝抵扣",
              "淘鲜达渠道"),
          "douyin",
          Set.of(
              "主订单编号", "子订单编号", "选购商品", "订单应付金额", "支付完成时间", "订单提交时间", "承诺发货时间", "旗帜颜色", "app渠道",
              "流量来源", "流量体裁", "达人id", "达人昵称", "达人优惠"),
          "xiaohongshu",
          Set.of("规格id", "用户应付金额", "用户实付金额", "商家应收金额", "笔记id", "小红书编码", "包裹号"));

  ImportColumns {
    header = List.copyOf(header);
    places = Map.copyOf(places);
  }

  /// Finds the columns by the header; the first of two that are named alike counts. Throws
  /// InvalidCsv when one is missing that neither the header nor the options have.
  static ImportColumns of(List<String> header, ImportOptions options) throws InvalidCsv {
    List<String> headings = header.stream().map(CellText::heading).toList();
    Map<ImportField, Integer> places = new EnumMap<>(ImportField.class);
    for (Map.Entry<String, String> wish : options.headings().entrySet()) {
      int at = headings.indexOf(CellText.heading(wish.getValue()));
      if (at < 0) {
        throw new InvalidCsv("csv_no_heading", wish.getValue(), shown(header))
            .solvedBy(OPTION + wish.getKey());
      }
      ImportField.named(wish.getKey()).ifPresent(field -> places.put(field, at));
    }
    for (ImportField field : ImportField.values()) {
      for (String heading : field.headings()) {
        int at = headings.indexOf(heading);
        if (at >= 0 && !places.containsKey(field) && !places.containsValue(at)) {
          places.put(field, at);
        }
      }
    }
    if (!places.containsKey(ImportField.ORDER_ID)) {
      throw missing("csv_no_column", ImportField.ORDER_ID, header);
    }
    need(places, header, ImportField.PRODUCT_ID, options.product());
    need(places, header, ImportField.STATUS, options.status());
    return new ImportColumns(header, places);
  }

  /// Whether a row is a header with all columns that an import needs.
  static boolean fit(List<String> header, ImportOptions options) {
    try {
      ImportColumns _ = of(header, options);
      return true;
    } catch (InvalidCsv _) {
      return false;
    }
  }

  /// The field's cell, clean; empty where the row or the file has none, or a mark for nothing.
  String cell(List<String> cells, ImportField field) {
    Integer at = places.get(field);
    return at == null || at >= cells.size() ? "" : CellText.value(cells.get(at));
  }

  /// The row with the order's cells of the row above, where it is a further row of the same order
  /// and leaves them empty, as exports with a row for each product do: the number, if the row has
  /// neither number, status nor payment time; the others, if the number is the same.
  List<String> completed(List<String> cells, List<String> above) {
    String order = cell(cells, ImportField.ORDER_ID);
    boolean further =
        order.isEmpty()
            ? cell(cells, ImportField.STATUS).isEmpty()
                && cell(cells, ImportField.PAID_AT).isEmpty()
                && !cells.stream().allMatch(String::isBlank)
            : order.equals(cell(above, ImportField.ORDER_ID));
    if (!further) {
      return cells;
    }
    List<String> whole = new ArrayList<>(cells);
    for (ImportField field : ImportField.OF_ORDER) {
      Integer at = places.get(field);
      if (at != null && at < above.size() && cell(cells, field).isEmpty()) {
        while (whole.size() <= at) {
          whole.add("");
        }
        whole.set(at, above.get(at));
      }
    }
    return whole;
  }

  /// The platform of whose exports the header has more headings than of any other's.
  Optional<String> platform() {
    Set<String> headings = header.stream().map(CellText::heading).collect(Collectors.toSet());
    long most = 0;
    Optional<String> platform = Optional.empty();
    for (Map.Entry<String, Set<String>> each : PLATFORMS.entrySet()) {
      long count = each.getValue().stream().filter(headings::contains).count();
      platform =
          count > most ? Optional.of(each.getKey()) : count == most ? Optional.empty() : platform;
      most = Math.max(most, count);
    }
    return platform;
  }

  /// The file's own heading of a field; the field's name if it has no column.
  String heading(ImportField field) {
    Integer at = places.get(field);
    return at == null ? field.wireName() : CellText.clean(header.get(at));
  }

  boolean has(ImportField field) {
    return places.containsKey(field);
  }

  private static void need(
      Map<ImportField, Integer> places, List<String> header, ImportField field, String instead)
      throws InvalidCsv {
    if (!places.containsKey(field) && instead.isEmpty()) {
      throw missing("csv_no_column_or_value", field, header);
    }
  }

  private static InvalidCsv missing(String problem, ImportField field, List<String> header) {
    return new InvalidCsv(problem, field.wireName(), shown(header))
        .solvedBy(OPTION + field.wireName());
  }

  private static String shown(List<String> header) {
    List<String> some = new ArrayList<>();
    for (String heading : header.subList(0, Math.min(SHOWN, header.size()))) {
      String clean = CellText.clean(heading);
      some.add(clean.length() > SHOWN ? clean.substring(0, SHOWN) + "…" : clean);
    }
    return String.join(", ", some);
  }
}
