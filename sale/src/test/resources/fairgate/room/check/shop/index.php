<?php
// A shop in the shape of WooCommerce: every request goes through this file, which loads wp-config.php first.
require __DIR__ . '/wp-config.php';
echo 'shop: ', $_SERVER['REQUEST_METHOD'], ' ', $_SERVER['REQUEST_URI'], ' ', $_SERVER['HTTP_X_FAIRGATE_PASS'] ?? '-', "\n";
