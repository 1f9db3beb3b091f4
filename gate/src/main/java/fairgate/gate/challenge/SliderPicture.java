package fairgate.gate.challenge;

import java.awt.AlphaComposite;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.GradientPaint;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.geom.AffineTransform;
import java.awt.geom.Area;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.random.RandomGenerator;
import javax.imageio.ImageIO;

/// A picture with a gap, and the piece that fits into it. Both are drawn, so nothing is fetched or
/// kept: one costs a few milliseconds.
///
/// @param x left edge of the gap, pixels
/// @param y upper edge of the gap and of the piece
/// @param picture JPEG of [#WIDTH] by [#HEIGHT]
/// @param piece PNG of [#SIZE] by [#SIZE], transparent outside of the piece
record SliderPicture(int x, int y, byte[] picture, byte[] piece) {
  static final int WIDTH = 320;
  static final int HEIGHT = 160;
  static final int SIZE = 56;

  private static final int BODY = 42;
  private static final int KNOB = 16;
  private static final int MARGIN = 8;

  /// The gap is this far from the left, where the piece begins.
  private static final int LEAST_X = 72;

  private static final int SHAPES = 40;
  private static final int LINES = 12;

  static {
    // Otherwise macOS shows a program in the dock.
    System.setProperty("java.awt.headless", "true");
    ImageIO.setUseCache(false);
  }

  static SliderPicture draw(RandomGenerator random) {
    BufferedImage picture = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
    int x = random.nextInt(LEAST_X, WIDTH - SIZE - MARGIN + 1);
    int y = random.nextInt(MARGIN, HEIGHT - SIZE - MARGIN + 1);
    drawBackground(picture, random);
    Shape shape = outline();
    BufferedImage piece = cut(picture, shape, x, y);
    drawGap(picture, AffineTransform.getTranslateInstance(x, y).createTransformedShape(shape));
    return new SliderPicture(x, y, bytes(picture, "jpg"), bytes(piece, "png"));
  }

  private static void drawBackground(BufferedImage picture, RandomGenerator random) {
    Graphics2D pen = pen(picture);
    pen.setPaint(
        new GradientPaint(
            random.nextInt(WIDTH),
            0,
            colour(random, 255),
            random.nextInt(WIDTH),
            HEIGHT,
            colour(random, 255)));
    pen.fillRect(0, 0, WIDTH, HEIGHT);
    for (int i = 0; i < SHAPES; i++) {
      double width = random.nextDouble(10, 90);
      double height = random.nextDouble(10, 60);
      double left = random.nextDouble(-20, WIDTH);
      double top = random.nextDouble(-20, HEIGHT);
      pen.setColor(colour(random, random.nextInt(60, 160)));
      pen.rotate(random.nextDouble(Math.PI), left, top);
      pen.fill(
          random.nextBoolean()
              ? new Ellipse2D.Double(left, top, width, height)
              : new Rectangle2D.Double(left, top, width, height));
      pen.setTransform(new AffineTransform());
    }
    for (int i = 0; i < LINES; i++) {
      pen.setColor(colour(random, 150));
      pen.setStroke(new BasicStroke(random.nextFloat(1, 3)));
      pen.drawLine(
          random.nextInt(WIDTH),
          random.nextInt(HEIGHT),
          random.nextInt(WIDTH),
          random.nextInt(HEIGHT));
    }
    pen.dispose();
  }

  private static void drawGap(BufferedImage picture, Shape gap) {
    Graphics2D pen = pen(picture);
    pen.setColor(new Color(0, 0, 0, 150));
    pen.fill(gap);
    pen.setColor(new Color(255, 255, 255, 200));
    pen.draw(gap);
    pen.dispose();
  }

  /// The part of the picture under the piece, with a light edge.
  private static BufferedImage cut(BufferedImage picture, Shape shape, int x, int y) {
    BufferedImage piece = new BufferedImage(SIZE, SIZE, BufferedImage.TYPE_INT_ARGB);
    Graphics2D pen = pen(piece);
    pen.fill(shape);
    // Keeps the smooth edge of the shape.
    pen.setComposite(AlphaComposite.SrcIn);
    pen.drawImage(picture, -x, -y, null);
    pen.setComposite(AlphaComposite.SrcOver);
    pen.setColor(Color.WHITE);
    pen.setStroke(new BasicStroke(1.5f));
    pen.draw(shape);
    pen.dispose();
    return piece;
  }

  /// A square with a knob at its right and at its top.
  private static Shape outline() {
    int top = SIZE - BODY - 1;
    Area shape = new Area(new Rectangle2D.Double(1, top, BODY - 1, BODY));
    shape.add(new Area(new Ellipse2D.Double(BODY - 6, top + BODY / 2.0 - 8, KNOB, KNOB)));
    shape.add(new Area(new Ellipse2D.Double(BODY / 2.0 - 8, top - 10, KNOB, KNOB)));
    return shape;
  }

  private static Graphics2D pen(BufferedImage image) {
    Graphics2D pen = image.createGraphics();
    pen.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    return pen;
  }

  private static Color colour(RandomGenerator random, int alpha) {
    Color hue =
        Color.getHSBColor(
            random.nextFloat(), random.nextFloat(0.3f, 0.9f), random.nextFloat(0.5f, 1));
    return new Color(hue.getRed(), hue.getGreen(), hue.getBlue(), alpha);
  }

  private static byte[] bytes(BufferedImage image, String format) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      if (!ImageIO.write(image, format, bytes)) {
        throw new IllegalStateException("This Java cannot write " + format);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
