<?php
define('FAIRGATE_URL', getenv('FAIRGATE_URL'));
define('FAIRGATE_PAGE', 'https://wait.example.com');
define('FAIRGATE_ROOM', 'shop');
require getenv('FAIRGATE_GATE');
